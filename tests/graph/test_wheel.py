"""The built wheel: what is in the source tree and belongs to the product is in it, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this tree, built by hatchling itself: no network, no environment of its own."""
    into = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(into)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=100,
    )
    [built] = into.glob("*.whl")
    return built


def _below(directory: str) -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.joinpath(directory).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_has_what_the_source_tree_has(wheel: Path, tmp_path: Path) -> None:
    """Unpacked elsewhere, it finds its statements, its schema and its lock files."""
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert packed == _below("ragforge_memory") | {f"ragforge_memory/{name}" for name in _below("cypher")}
        archive.extractall(tmp_path)
        [metadata] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        [entry_points] = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        assert "License-Expression: Apache-2.0" in archive.read(metadata).decode()
        assert "ragforge = ragforge_memory.cli.main:run" in archive.read(entry_points).decode()
    code = (
        "import ragforge_memory\n"
        "from ragforge_memory.graph.queries import all_statements, cypher_directory\n"
        "from ragforge_memory.graph.schema import schema_statements\n"
        "print(ragforge_memory.__file__, cypher_directory(), sep='\\n')\n"
        "print(len(all_statements()), len(schema_statements()), sep='\\n')\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    package, directory, statements, schema = done.stdout.splitlines()
    assert Path(package).is_relative_to(tmp_path)
    assert Path(directory) == tmp_path / "ragforge_memory" / "cypher"
    assert int(statements) > 40
    assert int(schema) > 30
