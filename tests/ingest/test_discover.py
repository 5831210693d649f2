"""Which files of a project are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory.code.discover import discover, unreadable_reason


def found(root: Path, **options: object) -> list[str]:
    return [file.path for file in discover(root, **options).files]  # type: ignore[arg-type]


def make(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")


def test_gitignore_files_decide_nearest_first(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "b.py", "gen/c.py", "gen/keep/d.py", "pkg/e.py", "pkg/gen/f.py", "pkg/b.py", "x/y/z.py")
    (tmp_path / ".gitignore").write_text("# a comment\nb.py\n/gen/*\n!/gen/keep/\nx/**/z.py\n")
    (tmp_path / "pkg/.gitignore").write_text("!b.py\n/gen/\n")

    assert found(tmp_path) == ["a.py", "gen/keep/d.py", "pkg/b.py", "pkg/e.py"]


def test_rules_above_the_root_hold_in_a_work_tree(tmp_path: Path) -> None:
    make(tmp_path, "sub/a.py", "sub/b.py", "sub/c.py", "sub/deep/d.py")
    (tmp_path / ".git/info").mkdir(parents=True)
    (tmp_path / ".git/info/exclude").write_text("b.py\n")
    (tmp_path / ".gitignore").write_text("/sub/c.py\n")
    (tmp_path / "sub/.gitignore").write_text("/deep/\n")

    assert found(tmp_path / "sub") == ["a.py"]


def test_folders_of_tools_and_builds_are_left_out_without_a_gitignore(tmp_path: Path) -> None:
    make(
        tmp_path,
        *("node_modules/m/i.py", ".venv/lib/a.py", "__pycache__/a.py", "env/lib/b.py", "env/pyvenv.cfg"),
        *("dist/a.py", "build/lib/a.py", "app.egg-info/a.py", "pyproject.toml", "src/build/a.py", "src/dist/b.py"),
        *("coverage/data.py", "src/coverage/c.py"),
    )

    assert found(tmp_path) == ["coverage/data.py", "src/build/a.py", "src/coverage/c.py", "src/dist/b.py"]
    assert "build/lib/a.py" in found(tmp_path, include=("build/lib/*.py", "src/**"))


def test_include_and_exclude_are_globs_below_the_root(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "src/b.py", "src/deep/c.py", "tests/test_a.py", "src/deep/test_c.py")

    assert found(tmp_path, include=("src/**/*.py",), exclude=("test_*.py",)) == ["src/b.py", "src/deep/c.py"]
    assert found(tmp_path, exclude=("tests/", "/src/deep/**")) == ["a.py", "src/b.py"]


def test_programs_without_an_extension_are_known_by_their_first_line(tmp_path: Path) -> None:
    make(tmp_path, "README", "LICENSE")
    script = tmp_path / "bin/tool"
    script.parent.mkdir()
    script.write_text("#!/usr/bin/env python3\nprint(1)\n")
    script.chmod(0o755)

    assert found(tmp_path) == ["bin/tool"]


def test_names_that_are_no_text_are_skipped(tmp_path: Path) -> None:
    try:
        (tmp_path / b"caf\xe9.py".decode("utf-8", "surrogateescape")).write_text("x = 1\n")
    except OSError:
        pytest.skip("this file system has no such names")

    result = discover(tmp_path)

    assert (result.files, [item.reason for item in result.skipped]) == ((), ["its name is not portable"])


def test_names_with_a_backslash_are_skipped_with_a_word_about_them(tmp_path: Path) -> None:
    try:
        (tmp_path / "a\\b.py").write_text("x = 1\n")
        (tmp_path / "c\\d").mkdir()
    except OSError:
        pytest.skip("this file system has no such names")
    make(tmp_path, "c\\d/e.py", "f.py")

    result = discover(tmp_path)

    assert [file.path for file in result.files] == ["f.py"]
    skipped = [(item.file, item.reason) for item in result.skipped]
    assert skipped == [("a\\b.py", "its name is not portable"), ("c\\d/", "its name is not portable")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"x = 1\n", None),
        (b"\0", "binary"),
        ("x = 'ä'\n".encode("utf-16"), None),
        (b"x = '" + b"a" * 3_000 + b"'\n", None),
        (b"a=1;" * 3_000, "minified (1 of 1 lines have more than 400 bytes)"),
        (b"x = 1\n" * 3_000, None),
        (b"// a licence\n" + b"a=1;" * 3_000 + b"\n", "minified (1 of 2 lines have more than 400 bytes)"),
        (b"const path = 1\n" * 8 + b"x = '" + b"M0 1L2 3" * 900 + b"'\n", None),
        (b"const path = 1\n" * 8 + (b"x = '" + b"M0 1L2 3" * 90 + b"'\n") * 2, None),
    ],
)
def test_content_that_is_no_source(content: bytes, reason: str | None) -> None:
    assert unreadable_reason(content, "a.py") == reason


def test_other_checkouts_are_not_read_twice(tmp_path: Path) -> None:
    """A linked work tree and a clone are passed over and named; a submodule is a part of the project."""
    make(tmp_path, "a.py", ".worktrees/one/a.py", "clone/a.py", "clone/deep/b.py", "module/c.py", "plain/d.py")
    (tmp_path / ".git").mkdir()
    (tmp_path / "clone/.git").mkdir()
    (tmp_path / ".worktrees/one/.git").write_text(f"gitdir: {tmp_path}/.git/worktrees/one\n")
    (tmp_path / "module/.git").write_text("gitdir: ../.git/modules/module\n")
    assert found(tmp_path) == ["a.py", "module/c.py", "plain/d.py"]
    skipped = {each.file: each.reason for each in discover(tmp_path).skipped}
    assert skipped == {
        ".worktrees/one/": "another work tree of a repository",
        "clone/": "another repository",
    }


def test_a_folder_of_repositories_is_read_whole(tmp_path: Path) -> None:
    make(tmp_path, "one/a.py", "two/b.py")
    (tmp_path / "one/.git").mkdir()
    assert found(tmp_path) == ["one/a.py", "two/b.py"]


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("#!/usr/bin/env -S uv run --script", "python"),
        ("#!/usr/bin/python3.12 -u", "python"),
        ("#!/usr/local/bin/pypy3", "python"),
        ("#!/usr/bin/env -S deno run --allow-net", "typescript"),
        ("#!/usr/bin/env bun", "typescript"),
        ("#!/usr/bin/env -S npx tsx", "typescript"),
        ("#!/usr/bin/env -S node --import tsx", "typescript"),
        ("#!/usr/bin/env nodejs", "javascript"),
        ("#!/usr/bin/ruby2.7", "ruby"),
        ("#!/bin/sh", None),
    ],
)
def test_a_script_without_an_extension_says_what_runs_it(tmp_path: Path, line: str, language: str | None) -> None:
    script = tmp_path / "tool"
    script.write_text(f"{line}\nx = 1\n")
    script.chmod(0o755)
    assert [file.language for file in discover(tmp_path).files] == ([language] if language else [])
