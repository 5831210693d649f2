"""`ragforge ingest` and `ragforge doctor`."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from ragforge_memory.cli import reading
from ragforge_memory.cli.options import Settings
from ragforge_memory.cli.session import locate
from ragforge_memory.cli.terminal import Spinner, Terminal
from ragforge_memory.ingest.run import IngestProgress
from ragforge_memory.models.code import IngestReport
from tests.cli.conftest import CommandLine


def ingest(ragforge: CommandLine, *arguments: str) -> IngestReport:
    return IngestReport.model_validate_json(ragforge.ok("ingest", "--json", *arguments))


def test_only_what_changed_is_read_again(ragforge: CommandLine) -> None:
    first = ingest(ragforge)
    assert (first.files, first.root, first.project) == (2, str(ragforge.project), str(ragforge.project))
    assert first.added == first.scopes > 0
    again = ingest(ragforge)
    assert (again.files_changed, again.added, again.updated, again.removed) == (0, 0, 0, 0)
    assert ingest(ragforge, "--full").files_changed == 2
    (ragforge.project / "app.py").unlink()
    assert ingest(ragforge).removed == 1


def test_a_report_for_people(ragforge: CommandLine) -> None:
    (ragforge.project / "broken.py").write_bytes(b"\x00\x01\x02" * 100)
    (ragforge.project / "half.py").write_text("def whole():\n    return 1\n\n\ndef broken(:\n")
    done = ragforge.run("ingest")
    assert done.returncode == 0
    assert "3 read" in done.stdout
    assert "skipped broken.py: " in done.stdout
    assert "\nread in part half.py: syntax error in line 5" in done.stdout
    assert done.stderr == ""


def test_a_directory_that_is_named_is_the_project(ragforge: CommandLine, tmp_path: Path) -> None:
    inside = ragforge.project / "inside"
    inside.mkdir()
    (inside / "more.py").write_text("def more():\n    return 1\n")
    report = ingest(ragforge, str(inside))
    assert (report.files, report.root, report.project) == (1, str(inside), str(inside))
    assert ragforge.run("ingest", str(inside), "--project", str(tmp_path)).returncode == 2


def test_a_configuration_of_another_name_is_told_of(ragforge: CommandLine) -> None:
    (ragforge.project / "ragforge.config.yaml").rename(ragforge.project / "ragforge.yml")
    assert f"{ragforge.project}/ragforge.yml is not read" in ragforge.run("decisions").stderr
    done = ragforge.run("doctor")
    assert (done.returncode, "ragforge.yml is not read" in " ".join(done.stdout.split())) == (1, True)


def test_a_folder_that_is_named_is_of_the_project_whose_configuration_it_takes(ragforge: CommandLine) -> None:
    inside = ragforge.project / "inside"
    inside.mkdir()
    name = f"whole {inside}"
    with (ragforge.project / "ragforge.config.yaml").open("a") as file:
        file.write(f"name: {name}\n")
    subprocess.run(["git", "init", "-q"], cwd=ragforge.project, check=True)
    ragforge.ok("ask", "--user", "ada", "note: login must stay pure")
    within = CommandLine(inside, ragforge.environment)
    for command, arguments in ((ragforge, ("inside",)), (within, (".",)), (within, ())):
        report = ingest(command, *arguments)
        assert (report.project, report.root) == (name, str(ragforge.project)), arguments
        project = ("--project", *arguments) if arguments else ()
        assert len(command.json("decisions", "--user", "ada", *project, "--json")) == 1, arguments


def test_a_folder_that_is_named_is_a_project_of_its_own_where_there_is_no_configuration(
    ragforge: CommandLine,
) -> None:
    inside = ragforge.project / "inside"
    inside.mkdir()
    (inside / "part.py").write_text("def part():\n    pass\n")
    (ragforge.project / "ragforge.config.yaml").unlink(missing_ok=True)
    subprocess.run(["git", "init", "-q"], cwd=ragforge.project, check=True)
    report = ingest(ragforge, "inside")
    assert (report.root, report.files) == (str(inside), 1)


def test_another_root_under_the_same_name_is_refused_unless_adopted(ragforge: CommandLine, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(ragforge.project, other)
    name = f"shared {tmp_path}"
    for folder in (ragforge.project, other):
        (folder / "ragforge.config.yaml").write_text(
            json.dumps({"name": name, "agent": {"memory": {"embeddings": {"provider": "hashing"}}}})
        )
    ingest(ragforge)
    refused = ragforge.run("ingest", str(other))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "--adopt" in refused.stderr
    # Questions and notes work there all the same.
    elsewhere = CommandLine(other, ragforge.environment).json("doctor", "--json")
    (code,) = (check for check in elsewhere["checks"] if check["name"] == "code")
    assert elsewhere["ok"] is True
    assert f"of {ragforge.project}, " in code["detail"]
    assert "which is not this folder: answers and what notes are tied to" in code["detail"]
    assert "--adopt" in code["hint"]
    assert ingest(ragforge, str(other), "--adopt").root == str(other)


def test_doctor_finds_all_well(ragforge: CommandLine) -> None:
    ragforge.ok("ingest")
    report = ragforge.json("doctor", "--json")
    assert report["ok"] is True
    assert all(set(check) == {"name", "ok", "detail", "hint"} for check in report["checks"])
    names = {check["name"]: check for check in report["checks"]}
    assert {"python", "configuration", "neo4j", "model", "embeddings", "project", "code"} <= set(names)
    assert "because" in names["model"]["detail"]
    plain = ragforge.ok("doctor")
    assert all(check["detail"] in plain for check in report["checks"] if "GB free" not in check["detail"])


def test_doctor_is_1_when_a_check_fails(ragforge: CommandLine) -> None:
    done = ragforge.run("doctor", NEO4J_URI="bolt://127.0.0.1:1")
    assert done.returncode == 1
    assert "neo4j" in done.stdout
    assert "Traceback" not in done.stderr
    (ragforge.project / "ragforge.config.yaml").write_text("agent:\n  max_iteration: 3\n")
    done = ragforge.run("doctor", "--json")
    assert done.returncode == 1
    assert "ragforge.config.yaml:2" in done.stdout


def test_patterns_that_match_nothing_are_told(ragforge: CommandLine) -> None:
    config = ragforge.project / "ragforge.config.yaml"
    source = "source: {include: ['*.py', '[', 'srcs/**'], exclude: ['/abs/**', 'app.*']}\n"
    config.write_text(config.read_text() + source)
    done = ragforge.run("ingest")
    assert done.stderr.splitlines() == [
        "source.include: '[' matches no source file",
        "source.include: 'srcs/**' matches no source file",
        "source.exclude: '/abs/**' matches no source file",
    ]
    assert done.stdout.splitlines()[1].startswith("1 file ")
    assert ragforge.run("ingest", "--json").stderr == ""


def test_code_outside_of_the_project_is_told_and_read(ragforge: CommandLine) -> None:
    beside = ragforge.project.parent / "beside"
    beside.mkdir()
    (beside / "more.py").write_text("def more():\n    return 1\n")
    config = ragforge.project / "ragforge.config.yaml"
    config.write_text(config.read_text() + "source: {root: ../beside}\n")
    refused = ragforge.run("ingest", COLUMNS="400")
    assert (refused.returncode, refused.stdout) == (3, "")
    assert f"outside of the project: source.root {beside}" in refused.stderr
    assert ragforge.run("config", "allow").stdout == f"allowed: source.root {beside}\n"
    done = ragforge.run("ingest", COLUMNS="400")
    outside = f"outside of the project in {ragforge.project} (source.root)"
    assert done.stderr == f"reading {beside}, which is {outside}\n"
    assert done.returncode == 0
    assert ragforge.run("ingest", "--json").stderr == ""


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("quiet", "files", "told"), [(False, 9_000, "reading files, 1 of 9,000 in"), (False, 9, ""), (True, 0, "")]
)
async def test_a_read_that_takes_long_says_so_where_no_spinner_does(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    quiet: bool,
    files: int,
    told: str,
) -> None:
    class Slow:
        async def ingest(self, *_: Any, progress: Callable[[IngestProgress], None], **__: Any) -> IngestReport:
            if files:
                progress(IngestProgress("read", 1, files))
            await asyncio.sleep(0.1)
            return IngestReport()

    monkeypatch.setattr(reading, "PATIENCE", 0.01)
    place = locate(Settings(project=tmp_path))
    spinner = Spinner(Terminal(rendered=False, progress=False, color=False))
    await reading.read_code(cast("Any", Slow()), place, spinner, quiet=quiet)
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith(told)
    assert bool(said) is bool(told)
