"""`conversations about`, and the labels of code in a transcript."""

from __future__ import annotations

from tests.cli.conftest import CommandLine


def test_conversations_are_found_by_their_code_and_say_what_became_of_it(ragforge: CommandLine) -> None:
    source = ragforge.project / "auth.py"
    source.write_text("def check(word):\n    total = len(word) * 7\n    return total > 3\n")
    model = ragforge.script("`check` in auth.py does it.")
    asked = ragforge.json("ask", "--json", "--model", model, "Who checks words?")["conversation_id"]
    about = ragforge.ok("conversations", "about", "check").splitlines()
    assert about[0].startswith(f"{asked[:8]}  ")
    assert about[0].endswith("Who checks words?")
    assert about[1] == "  discussed `check` (auth.py:1): fresh"
    source.write_text("# Words.\ndef check(word):\n    total = len(word) * 9\n    return total > 3\n")
    ragforge.ok("ingest")
    [info] = ragforge.json("conversations", "about", "auth.py", "--json")
    assert [each["status"] for each in info["references"]] == ["drifted"]
    shown = ragforge.ok("conversations", "show", asked)
    for told in ("about", "auth.py"), ("show", asked):
        assert "labels are as of the last ingest, 20" in ragforge.run("conversations", *told).stderr
    assert "  discussed `check` (auth.py:1): drifted, its code has changed since, now at line 2\n" in shown
    nothing = ragforge.run("conversations", "about", "no_such_thing")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert "nothing was said about 'no_such_thing'" in nothing.stderr
    assert "ragforge conversations search no_such_thing" in nothing.stderr
