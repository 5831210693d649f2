"""`ragforge decisions`."""

from __future__ import annotations

from tests.cli.conftest import CommandLine


def test_decisions_are_listed_with_whether_they_hold(ragforge: CommandLine) -> None:
    empty = ragforge.run("decisions")
    assert (empty.returncode, empty.stdout) == (0, "")
    assert 'nothing was decided yet; ragforge ask "note: ..." notes it' in empty.stderr
    source = ragforge.project / "auth.py"
    source.write_text("def check(word):\n    total = len(word) * 7\n    return total > 3\n")
    model = ragforge.script("Noted.", "Noted.")
    for said in ("note: `check` never logs", "note: tabs are four wide"):
        ragforge.ok("ask", "--model", model, said)
    assert not ragforge.ok("decisions", "--doubtful")
    source.write_text("def check(word):\n    total = len(word) * 9\n    return total > 3\n")
    ragforge.ok("ingest")
    lines = ragforge.ok("decisions").splitlines()
    assert lines[1] == "  note: tabs are four wide"
    assert lines[3:] == [
        "  note: `check` never logs",
        "  discussed `check` (auth.py:1): drifted, its code has changed since",
    ]
    assert " you in " in lines[0]
    [doubtful] = ragforge.json("decisions", "check", "--doubtful", "--json")
    assert (doubtful["text"], doubtful["doubtful"]) == ("note: `check` never logs", True)
    one = ragforge.run("decisions", "-n", "1")
    assert len(one.stdout.splitlines()) == 2
    assert "there are more than these 1" in one.stderr
    assert "ragforge conversations search nothing" in ragforge.run("decisions", "nothing").stderr
    assert ragforge.run("decisions", "--since", "soon").returncode == 2
    assert ragforge.ok("decisions", "--since", "yesterday", "--until", "today").splitlines() == lines
    assert ragforge.ok("decisions", "--until", "2020-01-01") == ""


def test_what_is_done_is_told_as_done_and_a_title_that_says_the_same_is_left_out(ragforge: CommandLine) -> None:
    model = ragforge.script("Noted.", "Noted.", "Noted.")
    for said in ("todo: write the migration", "done: the migration", "what is next?"):
        ragforge.ok("ask", "--model", model, said)
    lines = ragforge.ok("decisions").splitlines()
    assert lines[-2] == "  todo: write the migration"
    assert lines[-1].startswith("  done ")
    assert lines[-1].endswith(": done: the migration")
    assert lines[-3].split(" you in ")[1].strip().isalnum()
    [decided] = ragforge.json("decisions", "migration", "--json")
    assert decided["corrected"]["how"] == "done"


def test_a_note_is_answered_with_what_it_is_tied_to(ragforge: CommandLine) -> None:
    (ragforge.project / "auth.py").write_text(
        "def check(word):\n    return word\n\n\ndef seal_word(word):\n    return word\n"
    )
    for name in ("one", "other"):
        (ragforge.project / f"{name}.py").write_text("def url_for(name):\n    return name\n")
    several = "tied to no code: `url_for` may be `url_for` (one.py:1), `url_for` (other.py:1); say which, as"
    untied = "tied to no code; a name in backticks, `Class.method`, ties a note"
    for said, told in (
        ("note: check never logs", untied),
        ("note: `url_for` must stay thread safe", several),
        ("note: `check` and seal_word never log", "tied to `check` (auth.py:1), `seal_word` (auth.py:5)"),
    ):
        asked = ragforge.run("ask", said)
        assert told in " ".join(asked.stderr.split())
        assert told not in asked.stdout
    assert "tied to" not in ragforge.run("ask", "where is check?").stderr
    assert "tied to" not in ragforge.run("ask", "forget: check never logs").stderr
    assert "tied to" not in ragforge.run("ask", "--no-memory", "note: `check` never logs").stderr
    chat = ragforge.run("chat", stdin="note: `check` stays\n")
    assert "tied to `check` (auth.py:1)" in chat.stdout
