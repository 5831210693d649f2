"""The alerts of deploy/: over the six metrics that there are, and each proved by Prometheus' own tool."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
METRICS = {
    "memory_tool_calls_total",
    "memory_tool_success_rate",
    "memory_tool_latency_ms_bucket",
    "memory_tool_queue_depth",
    "memory_tool_errors_total",
    "memory_duplicate_rate",
}


def test_the_alerts_are_over_the_metrics_that_there_are() -> None:
    [group] = yaml.safe_load((DEPLOY / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    assert {name for rule in group["rules"] for name in re.findall(r"memory_\w+", rule["expr"])} == METRICS
    severities = [rule["labels"]["severity"] for rule in group["rules"]]
    assert severities == ["page", "warning", "warning", "warning", "investigation"]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not here (Debian: apt install prometheus)")
@pytest.mark.parametrize("arguments", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")])
def test_each_alert_fires_and_rests(arguments: tuple[str, ...]) -> None:
    ran = subprocess.run(["promtool", *arguments], cwd=DEPLOY, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
