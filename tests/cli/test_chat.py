"""`ragforge chat` at a terminal: turns, an interrupt, commands, leaving, and another process that goes on."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cli.conftest import ENTRY, CommandLine
from tests.cli.pseudo_terminal import CTRL_C, CTRL_D, ENTER, PseudoTerminal

ANSWER = "# Found\n\nIt is in `auth.py:4`.\n\n```python\ndef check_password():\n    ...\n```\n"
PROMPT = r"(?m)^>"
LOOK = {"text": "Let me look.", "tools": [{"name": "grep_code", "arguments": {"pattern": "password"}}]}


@contextmanager
def chat(ragforge: CommandLine, *arguments: str, rows: int = 30) -> Iterator[PseudoTerminal]:
    """A chat that waits for the first key."""
    command = [*ENTRY, "chat", "--no-ingest", *arguments]
    with PseudoTerminal(command, folder=ragforge.project, environment=ragforge.environment, rows=rows) as terminal:
        terminal.expect("/help shows the commands")
        terminal.expect(PROMPT)
        yield terminal


def test_a_turn_is_shown_and_kept(ragforge: CommandLine) -> None:
    model = ragforge.script(LOOK, ANSWER + "".join(f"- item {n}\n" for n in range(60)))
    with chat(ragforge, "--model", model, rows=10) as terminal:
        assert re.search(r"model scripted:scripted: scripted:\S+, as told", terminal.screen)
        assert f"project {ragforge.project}" in terminal.screen
        terminal.type("where is the password checked?" + ENTER)
        terminal.expect(r"Let me look\.")
        terminal.expect(r'· grep_code\(pattern="password"\)  \d+ ms')
        terminal.expect(r"Found\n\nIt is in auth\.py:4\.\n\n  def check_password\(\):\n      \.\.\.\n")
        terminal.expect("item 59")
        terminal.expect(PROMPT)
        terminal.type(CTRL_D)
        resume = terminal.expect(r"resume with: ragforge chat -r ([0-9a-f]{8})")[1]
        assert terminal.wait() == 0
        # Longer than the screen, and printed once.
        assert re.findall(r"• item (\d+)", terminal.screen) == [str(n) for n in range(60)]

    shown = ragforge.json("conversations", "show", resume, "--json")
    assert [m["role"] for m in shown["messages"]] == ["user", "assistant"]
    assert shown["conversation"]["title"] == "where is the password checked?"
    assert shown["messages"][1]["tool_calls"][0]["tool_name"] == "grep_code"


def test_what_was_edited_is_read_before_the_next_question(ragforge: CommandLine) -> None:
    command = [*ENTRY, "chat", "--model", "extractive"]
    with PseudoTerminal(command, folder=ragforge.project, environment=ragforge.environment, rows=30) as terminal:
        terminal.expect(PROMPT)
        (ragforge.project / "added.py").write_text("def quite_new():\n    return 1\n", encoding="utf-8")
        terminal.type("\x1awhere is quite_new?" + ENTER)  # Ctrl-Z is not a part of it
        terminal.expect(r"added\.py:1")
        terminal.expect(PROMPT)
        terminal.type(CTRL_D)
        resume = terminal.expect(r"ragforge chat -r ([0-9a-f]{8})")[1]
    assert ragforge.json("conversations", "show", resume, "--json")["messages"][0]["content"] == "where is quite_new?"


def test_ctrl_c_keeps_the_partial_answer_and_another_process_goes_on(ragforge: CommandLine) -> None:
    slow = {"text": "The first part.\n\nThe second", "hang": True}
    with chat(ragforge, "--model", ragforge.script(slow, "After the interrupt.", {"hang": True})) as terminal:
        terminal.type("go" + ENTER)
        terminal.expect(r"The first part\.")
        terminal.type(CTRL_C)
        terminal.expect("interrupted; the answer so far is kept")
        terminal.expect(PROMPT)
        terminal.type("again" + ENTER)
        terminal.expect(r"After the interrupt\.")
        terminal.expect(PROMPT)
        terminal.type("and again" + ENTER)
        terminal.expect("thinking|asking|reading the conversation")
        terminal.signal(signal.SIGINT)  # from another program
        terminal.expect("interrupted; the question is kept")
        terminal.expect(PROMPT)
        terminal.type("/quit" + ENTER)
        resume = terminal.expect(r"ragforge chat -r ([0-9a-f]{8})")[1]
        assert terminal.wait() == 0

    messages = ragforge.json("conversations", "show", resume, "--json")["messages"]
    assert [(m["role"], m["state"]) for m in messages] == [
        ("user", "complete"),
        ("assistant", "partial"),
        ("user", "complete"),
        ("assistant", "complete"),
        ("user", "unanswered"),
    ]
    assert messages[1]["content"] == "The first part.\n\nThe second"

    with chat(ragforge, "-r", resume, "--model", ragforge.script("From another process.")) as terminal:
        assert f"conversation {resume}: go, 5 messages" in terminal.screen
        terminal.type("/history" + ENTER)
        terminal.expect(r"#2 agent · .* · partial\nThe first part\.\n\nThe second\n")
        terminal.expect(PROMPT)
        terminal.type("and now?" + ENTER)
        terminal.expect(r"From another process\.")
        terminal.type(CTRL_D)
        assert terminal.wait() == 0
    assert len(ragforge.json("conversations", "show", resume, "--json")["messages"]) == 7


def test_an_interrupt_at_any_moment_after_enter_is_heeded(ragforge: CommandLine) -> None:
    delays = [0, 1, 5, 20, 80]
    with chat(ragforge, "--model", ragforge.script(*[{"text": "Some\n\n", "hang": True}] * len(delays))) as terminal:
        kept = []
        for delay in delays:
            terminal.type(f"after {delay} ms" + ENTER)
            terminal.listen(delay / 1000)
            terminal.type(CTRL_C)
            told = terminal.expect("interrupted(.*)\n")[1]
            if "is kept" in told:
                kept.append(f"after {delay} ms")
            terminal.expect(PROMPT)
        terminal.type("/title all of them" + ENTER)
        terminal.expect("title: all of them|say something first")
        terminal.expect(PROMPT)
        terminal.signal(signal.SIGTERM)
        assert terminal.wait() == 143
        assert "Traceback" not in terminal.screen
    if kept:
        messages = ragforge.json("conversations", "show", "all of them", "--json")["messages"]
        assert [message["content"] for message in messages if message["role"] == "user"] == kept
        assert {message["state"] for message in messages} <= {"unanswered", "complete", "partial"}


def test_the_command_that_resumes_names_the_user(ragforge: CommandLine) -> None:
    model = ragforge.script("One.")
    out = ragforge.ok("chat", "--user", "ada", "--no-ingest", "--model", model, stdin="hello\n")
    resume = out.splitlines()[-1].removeprefix("resume with: ragforge ").split()
    assert resume[-2:] == ["--user", "ada"]
    assert "2 messages" in ragforge.ok(*resume, "--no-ingest", "--model", model)


def test_sigterm_ends_the_chat_and_keeps_the_partial_answer(ragforge: CommandLine) -> None:
    with chat(ragforge, "--model", ragforge.script({"text": "Some\n\n", "hang": True})) as terminal:
        terminal.type("go" + ENTER)
        terminal.expect("Some")
        terminal.signal(signal.SIGTERM)
        terminal.expect("interrupted; the answer so far is kept")
        resume = terminal.expect(r"ragforge chat -r ([0-9a-f]{8})")[1]
        assert terminal.wait() == 143
    messages = ragforge.json("conversations", "show", resume, "--json")["messages"]
    assert [(m["state"], m["content"]) for m in messages] == [("complete", "go"), ("partial", "Some\n\n")]


def piped(ragforge: CommandLine, *typed: str, model: str, code: int = 0) -> list[str]:
    """What a chat without a terminal prints before each of these lines, and behind the last; the banner is left out."""
    done = ragforge.run("chat", "--no-ingest", "--model", model, stdin="".join(f"{line}\n" for line in typed))
    assert done.returncode == code, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stdout.startswith("model scripted:")
    _, *parts = re.split(r"^you: (?:.*)\n", done.stdout + done.stderr, flags=re.MULTILINE)
    return [part.strip() for part in parts]


def test_slash_commands(ragforge: CommandLine) -> None:
    model = ragforge.script("One.", "Two.")
    typed = ["/help", "/sta", "/histry", "/history", "/title x", "/tools", "hello", "/title The talk", "/tags a, b"]
    typed += ["/status", "/new", "Which cache?", "/resume nobody-knows-it", "/resume The talk", "/quit"]
    shown = dict(zip(typed, piped(ragforge, *typed, model=model), strict=True))
    assert re.search(r"/title TITLE +name this conversation(?s:.)*what can you do\? +the questions", shown["/help"])
    assert "project " in shown["/sta"]
    assert shown["/histry"] == "there is no command /histry; did you mean /history?"
    assert shown["/history"] == "nothing has been said yet"
    assert shown["/title x"] == "say something first"
    assert "grep_code: " in shown["/tools"]
    assert shown["hello"] == "One."
    assert (shown["/title The talk"], shown["/tags a, b"]) == ("title: The talk", "tags: a, b")
    assert re.search(r"conversation [0-9a-f]{8}: The talk, 2 messages", shown["/status"])
    first = shown["/new"].partition("resume with: ragforge chat -r ")[2][:8]
    assert "nobody-knows-it" in shown["/resume nobody-knows-it"]
    assert shown["/resume The talk"].startswith(f"conversation {first}: The talk")
    assert shown["/quit"] == f"resume with: ragforge chat -r {first}"
    listed = ragforge.json("conversations", "list", "--json")["items"]
    assert {(c["title"], tuple(c["tags"])) for c in listed} == {("The talk", ("a", "b")), ("Which cache?", ())}


def test_a_chat_from_a_pipe_is_plain_goes_on_after_a_failure_and_ends_with_its_code(ragforge: CommandLine) -> None:
    broken = {"error": {"type": "ModelBlocked", "message": "blocked"}}
    model = ragforge.script("**One**.\n\n- a", broken, "Three.")
    first, empty, last = piped(ragforge, "first", "", " second", "third", model=model, code=5)
    assert (first, empty) == ("**One**.\n\n- a", "")
    answer, resume, failure = last.split("\n\n")[0], last.splitlines()[2], last.splitlines()[3]
    assert answer == "Three."
    assert re.fullmatch(r"resume with: ragforge chat -r [0-9a-f]{8}", resume)
    assert failure == "ragforge: blocked"
    assert piped(ragforge, model=model) == []
    assert len(ragforge.json("conversations", "list", "--json")["items"]) == 1, "nothing said leaves nothing"


def test_without_auto_save_a_chat_says_what_is_not_kept_and_saves_on_demand(ragforge: CommandLine) -> None:
    settings = "{embeddings: {provider: hashing}, persistence: {auto_save: false}}"
    (ragforge.project / "ragforge.config.yaml").write_text(f"agent: {{memory: {settings}}}\n")
    model = ragforge.script("One.", "Two.")
    assert "auto_save is off" in ragforge.ok("chat", "--no-ingest", "--model", model)
    _, saved, second = piped(ragforge, "first", "/save", "second", model=model)
    assert saved == "saved"
    assert "not saved: agent.memory.persistence.auto_save is off" in second
    [kept] = ragforge.json("conversations", "list", "--json")["items"]
    assert kept["message_count"] == 2
    ragforge.ok("ask", "third", "--no-ingest", "--model", ragforge.script("Three."))
    assert len(ragforge.json("conversations", "list", "--json")["items"]) == 2
