"""What was edited and what is generated anew come together, and nobody's edit is lost in silence."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragforge_memory import InvalidInput
from ragforge_memory.scaffold.merging import Change, changes, write

LINES = [f"line {number}\n" for number in range(1, 10)]
FILE = "pkg/a.py"


def text(**changed: str) -> str:
    """The lines, some of them changed: ``line_2="other"``."""
    return "".join(f"{changed.get(line.strip().replace(' ', '_'), line.strip())}\n" for line in LINES)


def generated(folder: Path, *, force: bool = False, **files: str) -> dict[str, Change]:
    """What generating these files does, done; ``a`` is the file that every test has."""
    wanted = {name if "/" in name or "." in name else f"pkg/{name}.py": content for name, content in files.items()}
    done = changes(folder, wanted, force=force)
    write(folder, wanted, done)
    return {each.path: each for each in done}


def test_what_nobody_has_edited_becomes_what_is_generated(tmp_path: Path) -> None:
    assert generated(tmp_path, a=text())[FILE].what == "new"
    assert generated(tmp_path, a=text())[FILE].what == "unchanged"
    assert generated(tmp_path, a=text(line_2="two"))[FILE].what == "changed"
    assert (tmp_path / FILE).read_text() == text(line_2="two")
    assert generated(tmp_path, b=text())[FILE].what == "removed"
    assert not (tmp_path / FILE).exists()
    assert [each.what for each in changes(tmp_path, {"pkg/b.py": text()})] == ["unchanged"]


def test_an_edit_stays_and_what_is_generated_anew_comes_in(tmp_path: Path) -> None:
    generated(tmp_path, a=text())
    (tmp_path / FILE).write_text(text(line_8="mine"))
    assert generated(tmp_path, a=text())[FILE].what == "kept"
    assert generated(tmp_path, a=text(line_2="two"))[FILE].what == "merged"
    assert (tmp_path / FILE).read_text() == text(line_2="two", line_8="mine")
    assert generated(tmp_path, a=text(line_2="two"))[FILE].what == "kept"


def test_a_conflict_is_marked_named_and_left_until_it_is_resolved(tmp_path: Path) -> None:
    generated(tmp_path, a=text())
    (tmp_path / FILE).write_text(text(line_2="mine"))
    conflict = generated(tmp_path, a=text(line_2="theirs"))[FILE]
    assert (conflict.what, conflict.why) == ("conflict", "1 marked in it")
    marked = (tmp_path / FILE).read_text()
    assert "<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> generated\n" in marked
    assert generated(tmp_path, a=text(line_2="other"))[FILE].what == "unresolved"
    assert (tmp_path / FILE).read_text() == marked
    (tmp_path / FILE).write_text(text(line_2="both"))
    assert generated(tmp_path, a=text(line_2="theirs", line_9="nine"))[FILE].what == "merged"
    assert (tmp_path / FILE).read_text() == text(line_2="both", line_9="nine")


def test_a_file_that_was_there_before_is_in_the_way_unless_it_is_forced(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / FILE).write_text("mine\n")
    assert generated(tmp_path, a=text())[FILE].what == "in the way"
    assert generated(tmp_path, a=text())[FILE].what == "in the way"
    assert (tmp_path / FILE).read_text() == "mine\n"
    assert generated(tmp_path, a=text(), force=True)[FILE].what == "changed"
    assert (tmp_path / FILE).read_text() == text()
    assert generated(tmp_path, a=text(line_1="one"))[FILE].what == "changed"


def test_what_a_team_took_away_stays_away(tmp_path: Path) -> None:
    generated(tmp_path, a=text())
    (tmp_path / FILE).unlink()
    assert generated(tmp_path, a=text())[FILE].what == "kept"
    taken = generated(tmp_path, a=text(line_1="one"))[FILE]
    assert (taken.what, taken.why) == ("conflict", "you took it away")
    assert not (tmp_path / FILE).exists()
    assert generated(tmp_path, a=text(line_1="one"))[FILE].what == "kept"


def test_an_edited_file_that_is_generated_no_more_is_named_until_it_is_taken_away(tmp_path: Path) -> None:
    generated(tmp_path, a=text())
    (tmp_path / FILE).write_text(text(line_2="mine"))
    for _ in range(2):
        left = generated(tmp_path, b=text())[FILE]
        assert (left.what, left.why) == ("conflict", "it is generated no more, and you have edited it")
    assert (tmp_path / FILE).read_text() == text(line_2="mine")
    (tmp_path / FILE).unlink()
    assert not any(each.is_one for each in changes(tmp_path, {"pkg/b.py": text()}))


def test_a_file_keeps_its_mode_and_its_ends_of_lines(tmp_path: Path) -> None:
    generated(tmp_path, a=text())
    file = tmp_path / FILE
    file.write_bytes(text(line_8="mine").replace("\n", "\r\n").encode())
    file.chmod(0o750)
    assert generated(tmp_path, a=text())[FILE].what == "kept"
    assert generated(tmp_path, a=text(line_2="two"))[FILE].what == "merged"
    assert file.read_bytes() == text(line_2="two", line_8="mine").replace("\n", "\r\n").encode()
    assert file.stat().st_mode & 0o777 == 0o750


def test_links_folders_and_what_is_no_text_are_left(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "pkg").symlink_to(elsewhere)
    (root / ".ragforge/generated").mkdir(parents=True)
    (root / ".ragforge/generated/.DS_Store").write_bytes(b"\xff\xfe")
    done = generated(root, a=text(), **{"docs": text(), "b.md": text()})
    assert {path: each.what for path, each in done.items()} == {
        FILE: "in the way",
        "pkg/docs.py": "in the way",
        "b.md": "new",
    }
    assert list(elsewhere.iterdir()) == []
    assert changes(root, {"docs": text()})[-1].why == "it is a folder"
    assert not any(each.is_one for each in changes(root, {"docs": text(), "b.md": text()}))


def test_the_own_tools_of_a_team_are_never_written_over(tmp_path: Path) -> None:
    own = "pkg/own_tools.py"
    assert generated(tmp_path, **{own: text()})[own].what == "new"
    (tmp_path / own).write_text(text(line_2="mine"))
    assert generated(tmp_path, force=True, **{own: text(line_3="theirs")})[own].what == "kept"
    assert (tmp_path / own).read_text() == text(line_2="mine")


def test_the_caches_of_tools_are_not_taken_for_what_was_generated(tmp_path: Path) -> None:
    generated(tmp_path, a=text())
    cache = tmp_path / ".ragforge/generated/.ruff_cache"
    (cache / "0.15").mkdir(parents=True)
    for name in (".gitignore", "CACHEDIR.TAG", "0.15/123"):
        (cache / name).write_text("*")
    assert set(generated(tmp_path, a=text())) == {FILE}


def test_the_configuration_of_a_project_is_never_taken_away(tmp_path: Path) -> None:
    wanted = {"ragforge.config.yaml": "name: shop\n", "README.md": "shop\n"}
    write(tmp_path, wanted, changes(tmp_path, wanted), private=True)
    assert (tmp_path / "ragforge.config.yaml").stat().st_mode & 0o777 == 0o600
    assert changes(tmp_path, {"README.md": "shop\n"}) == [Change("README.md", "unchanged")]


def test_without_git_a_merge_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated(tmp_path, a=text(), b=text())
    (tmp_path / FILE).write_text(text(line_8="mine"))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(InvalidInput, match="needs git"):
        generated(tmp_path, a=text(line_2="two"), b=text(line_2="two"))
    assert (tmp_path / "pkg/b.py").read_text() == text()


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    generated(tmp_path, a=text())
    (tmp_path / FILE).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match=r"cannot read .*a\.py"):
        generated(tmp_path, a=text(line_2="two"))
