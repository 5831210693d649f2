"""What is in deploy/ fits what there is: files, extras, options, addresses. No container is made."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer
import yaml

from ragforge_memory.cli.main import app
from tests.docs.conftest import ROOT

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
UNIT = (DEPLOY / "ragforge.service").read_text(encoding="utf-8")


def test_the_image_is_made_of_what_is_there() -> None:
    sources = [word for line in re.findall(r"^COPY (?!--)(.+) \S+$", DOCKERFILE, re.M) for word in line.split()]
    assert sources
    assert [source for source in sources if not (ROOT / source).exists()] == []
    extras = re.findall(r"\[([a-z,]+)\]", DOCKERFILE)[0].split(",")
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras) <= set(known)
    assert re.findall(r"^USER (\w+)$", DOCKERFILE, re.M) == ["ragforge"]
    assert "http://127.0.0.1:8765/healthz" in DOCKERFILE


def test_both_start_a_server_with_options_that_it_has() -> None:
    in_image = re.findall(r'"(.+?)"', DOCKERFILE.rpartition("CMD [")[2])
    in_unit = shlex.split(re.findall(r"^ExecStart=(.+)$", UNIT, re.M)[0])[1:]
    group = typer.main.get_command(app)
    for words in (in_image, in_unit):
        command = group.get_command(group.make_context("ragforge", words), words[0])  # type: ignore[attr-defined]
        assert command.make_context("serve", words[1:]).params["port"] == 8765


def test_the_services_find_each_other() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yml").read_text(encoding="utf-8"))["services"]
    neo4j, server = services["neo4j"], services["server"]
    assert server["environment"]["NEO4J_URI"] == "neo4j://neo4j:7687"
    assert server["depends_on"] == {"neo4j": {"condition": "service_healthy"}}
    assert (DEPLOY / server["build"]["context"] / server["build"]["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    assert "healthcheck" in neo4j
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "ragforge.service"
    unit.write_text(UNIT.replace("/opt/ragforge/bin/ragforge", sys.executable), encoding="utf-8")
    ran = subprocess.run(("systemd-analyze", "verify", str(unit)), capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
