"""`ragforge ingest --watch`: a process that reads what changes until it is interrupted."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from ragforge_memory.models.code import IngestReport
from tests.cli.conftest import ENTRY, CommandLine


@contextmanager
def watched(ragforge: CommandLine, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The process, which is killed where a test leaves it running."""
    with subprocess.Popen(
        [*ENTRY, "ingest", "--watch", *arguments],
        cwd=ragforge.project,
        env=ragforge.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_watch_tells_what_changed_in_a_line_and_of_a_comment_nothing(ragforge: CommandLine) -> None:
    with watched(ragforge) as watching:
        assert watching.stdout is not None
        while not watching.stdout.readline().endswith(" s\n"):
            pass
        new = ragforge.project / "new.py"
        for text in ("def newcomer():\n    return 1\n", "# A comment.\ndef newcomer():\n    return 1\n"):
            new.write_text(text)
            if "#" not in text:
                assert ": 1 added, 0 updated, 0 removed, " in watching.stdout.readline()
        (ragforge.project / "broken.py").write_text("def broken(:\n")
        assert watching.stdout.readline().startswith("skipped broken.py: ")
        watching.send_signal(signal.SIGINT)
        assert watching.communicate(timeout=60)[0] == ""


def test_watch_reads_what_changes_and_goes_by_the_configuration_as_it_becomes(ragforge: CommandLine) -> None:
    configuration = ragforge.project / "ragforge.config.yaml"
    before = configuration.read_text()
    with watched(ragforge, "--json", "--full") as watching:
        assert watching.stdout is not None
        assert watching.stderr is not None
        assert IngestReport.model_validate_json(watching.stdout.readline()).files == 2
        (ragforge.project / "new.py").write_text("def newcomer():\n    return 1\n")
        changed = IngestReport.model_validate_json(watching.stdout.readline())
        assert (changed.files, changed.added) == (3, 1)
        configuration.write_text("source: {exclude: [")
        assert "; what was configured before goes on" in watching.stderr.readline()
        configuration.write_text(f"{before}source: {{exclude: [app.py]}}\n")
        second = IngestReport.model_validate_json(watching.stdout.readline())
        assert (second.files, second.removed, second.files_changed) == (2, 1, 0)
        assert watching.stderr.readline() == "the configuration has changed; reading as it says now\n"
        watching.send_signal(signal.SIGINT)
        rest, stderr = watching.communicate(timeout=60)
        assert (watching.returncode, rest, stderr) == (130, "", "")
