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
    model = ragforge.script(LOOK, ANSWER)
    with chat(ragforge, "--model", model) as terminal:
        assert re.search(r"model scripted:scripted: scripted:\S+, as told", terminal.screen)
        assert f"project {ragforge.project}" in terminal.screen
        terminal.type("where is the password checked?" + ENTER)
        terminal.expect(r"Let me look\.")
        terminal.expect(r'· grep_code\(pattern="password"\)  \d+ ms')
        terminal.expect(r"Found\n\nIt is in auth\.py:4\.\n\n  def check_password\(\):\n      \.\.\.\n")
        terminal.expect(PROMPT)
        terminal.type(CTRL_D)
        resume = terminal.expect(r"resume with: ragforge chat -r ([0-9a-f]{8})")[1]
        assert terminal.wait() == 0

    shown = ragforge.json("conversations", "show", resume, "--json")
    assert [m["role"] for m in shown["messages"]] == ["user", "assistant"]
    assert shown["conversation"]["title"] == "where is the password checked?"
    assert shown["messages"][1]["tool_calls"][0]["tool_name"] == "grep_code"


def test_what_was_edited_is_read_before_the_next_question(ragforge: CommandLine) -> None:
    command = [*ENTRY, "chat", "--model", "extractive"]
    with PseudoTerminal(command, folder=ragforge.project, environment=ragforge.environment, rows=30) as terminal:
        terminal.expect(PROMPT)
        (ragforge.project / "added.py").write_text("def quite_new():\n    return 1\n", encoding="utf-8")
        terminal.type("\x1awhere is quite_new?" + ENTER)  # Ctrl-Z is no part of it
        terminal.expect(r"added\.py:1")
        terminal.expect(PROMPT)
        terminal.type(CTRL_D)
        resume = terminal.expect(r"ragforge chat -r ([0-9a-f]{8})")[1]
    assert ragforge.json("conversations", "show", resume, "--json")["messages"][0]["content"] == "where is quite_new?"


def test_ctrl_c_keeps_the_partial_answer_and_another_process_goes_on(ragforge: CommandLine) -> None:
    slow = {"text": "The first part.\n\nThe second", "hang": True}
    with chat(ragforge, "--model", ragforge.script(slow, "After the interrupt.")) as terminal:
        terminal.type("go" + ENTER)
        terminal.expect(r"The first part\.")
        terminal.type(CTRL_C)
        terminal.expect("interrupted; the answer so far is kept")
        terminal.expect(PROMPT)
        terminal.type("again" + ENTER)
        terminal.expect(r"After the interrupt\.")
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
    ]
    assert messages[1]["content"] == "The first part.\n\nThe second"

    with chat(ragforge, "-r", resume, "--model", ragforge.script("From another process.")) as terminal:
        assert f"conversation {resume}: go, 4 messages" in terminal.screen
        terminal.type("/history" + ENTER)
        terminal.expect(r"#2 agent · .* · partial\nThe first part\.\n\nThe second\n")
        terminal.expect(PROMPT)
        terminal.type("and now?" + ENTER)
        terminal.expect(r"From another process\.")
        terminal.type(CTRL_D)
        assert terminal.wait() == 0
    assert len(ragforge.json("conversations", "show", resume, "--json")["messages"]) == 6


def test_an_interrupt_before_the_first_word_keeps_the_question(ragforge: CommandLine) -> None:
    with chat(ragforge, "--model", ragforge.script({"hang": True})) as terminal:
        terminal.type("go" + ENTER)
        terminal.expect("thinking|asking|reading the conversation")
        terminal.type(CTRL_C)
        terminal.expect("interrupted; the question is kept")
        terminal.type(CTRL_D)
        resume = terminal.expect(r"ragforge chat -r ([0-9a-f]{8})")[1]
        assert terminal.wait() == 0
    messages = ragforge.json("conversations", "show", resume, "--json")["messages"]
    assert [(m["role"], m["state"]) for m in messages] == [("user", "unanswered")]


def test_an_interrupt_at_any_moment_after_enter_is_heeded(ragforge: CommandLine) -> None:
    delays = [0, 1, 2, 5, 10, 20, 40, 80, 160]
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
        terminal.type(CTRL_D)
        assert terminal.wait() == 0
        assert "Traceback" not in terminal.screen
    if kept:
        messages = ragforge.json("conversations", "show", "all of them", "--json")["messages"]
        assert [message["content"] for message in messages if message["role"] == "user"] == kept
        assert {message["state"] for message in messages} <= {"unanswered", "complete", "partial"}


def test_a_failed_turn_is_said_and_the_chat_goes_on(ragforge: CommandLine) -> None:
    broken = {"text": "Half of", "error": {"type": "ModelStreamCut", "message": "the line went dead"}}
    with chat(ragforge, "--model", ragforge.script(broken, "Whole.")) as terminal:
        terminal.type("one" + ENTER)
        terminal.expect("Half of")
        terminal.expect("the line went dead")
        terminal.expect(PROMPT)
        terminal.type("two" + ENTER)
        terminal.expect(r"Whole\.")
        terminal.type(CTRL_D)
        assert terminal.wait() == 0
        assert "Traceback" not in terminal.screen


def test_slash_commands(ragforge: CommandLine) -> None:
    with chat(ragforge, "--model", ragforge.script("One.", "Two.")) as terminal:

        def send(line: str, answer: str) -> re.Match[str]:
            terminal.type(line + ENTER)
            found = terminal.expect(answer)
            terminal.expect(PROMPT)
            return found

        send("/help", r"/title TITLE +name this conversation(?s:.)*what can you do\? +the questions")
        send("/sta", "project ")
        send("/histry", r"there is no command /histry; did you mean /history\?")
        send("/history", "nothing has been said yet")
        send("/title x", "say something first")
        send("/tools", "grep_code: ")
        send("hello", r"One\.")
        send("/title The talk", "title: The talk")
        send("/tags a, b", "tags: a, b")
        send("/status", r"conversation [0-9a-f]{8}: The talk, 2 messages")
        first = send("/new", r"resume with: ragforge chat -r ([0-9a-f]{8})")[1]
        send("Which cache?", r"Two\.")
        send("/resume nobody-knows-it", r"nobody-knows-it")
        send("/resume The talk", rf"conversation {first}: The talk")
        terminal.type("/quit" + ENTER)
        terminal.expect(f"resume with: ragforge chat -r {first}")
        assert terminal.wait() == 0
    listed = ragforge.json("conversations", "list", "--json")["items"]
    assert {(c["title"], tuple(c["tags"])) for c in listed} == {("The talk", ("a", "b")), ("Which cache?", ())}


def test_an_answer_longer_than_the_screen_is_printed_once(ragforge: CommandLine) -> None:
    answer = "".join(f"- item {n}\n" for n in range(60))
    with chat(ragforge, "--model", ragforge.script(answer), rows=10) as terminal:
        terminal.type("go" + ENTER)
        terminal.expect("item 59")
        terminal.expect(PROMPT)
        terminal.type(CTRL_D)
        assert terminal.wait() == 0
        assert re.findall(r"• item (\d+)", terminal.screen) == [str(n) for n in range(60)]


def test_nothing_said_leaves_nothing(ragforge: CommandLine) -> None:
    with chat(ragforge, "--model", "extractive") as terminal:
        terminal.type(CTRL_C)
        terminal.expect("Ctrl-C again, or Ctrl-D, leaves")
        terminal.type(CTRL_C)
        assert terminal.wait() == 0
        assert "resume with" not in terminal.screen
    assert ragforge.json("conversations", "list", "--json")["items"] == []


def test_several_lines_are_one_message(ragforge: CommandLine) -> None:
    with chat(ragforge, "--model", ragforge.script("Seen.")) as terminal:
        terminal.type("\x1b[200~def f():\n    pass\x1b[201~" + "\x1b\r" + "what is it?" + ENTER)
        terminal.expect(r"Seen\.")
        terminal.type(CTRL_D)
        resume = terminal.expect(r"ragforge chat -r ([0-9a-f]{8})")[1]
        assert terminal.wait() == 0
    messages = ragforge.json("conversations", "show", resume, "--json")["messages"]
    assert messages[0]["content"] == "def f():\n    pass\nwhat is it?"


def test_a_chat_from_a_pipe_is_plain_and_says_what_each_answer_is_to(ragforge: CommandLine) -> None:
    done = ragforge.run(
        "chat", "--no-ingest", "--model", ragforge.script("**One**.\n\n- a", "Two."), stdin="first\n\n second\n"
    )
    assert done.returncode == 0, done.stderr
    model, project, *rest = done.stdout.splitlines()
    assert model.startswith("model scripted:")
    assert project.startswith("project ")
    answers, _, resume = "\n".join(rest).rpartition("\n")
    assert answers == "\nyou: first\n\n**One**.\n\n- a\n\nyou: second\n\nTwo.\n"
    assert re.fullmatch(r"resume with: ragforge chat -r [0-9a-f]{8}", resume)
    assert "\x1b" not in done.stdout + done.stderr


def test_the_command_that_resumes_names_the_user(ragforge: CommandLine) -> None:
    model = ragforge.script("One.")
    out = ragforge.ok("chat", "--user", "ada", "--no-ingest", "--model", model, stdin="hello\n")
    resume = out.splitlines()[-1].removeprefix("resume with: ragforge ").split()
    assert resume[-2:] == ["--user", "ada"]
    assert "2 messages" in ragforge.ok(*resume, "--no-ingest", "--model", model)


def test_a_piped_chat_goes_on_after_a_failure_and_ends_with_its_code(ragforge: CommandLine) -> None:
    broken = {"error": {"type": "ModelBlocked", "message": "blocked"}}
    model = ragforge.script("One.", broken, "Three.")
    done = ragforge.run("chat", "--no-ingest", "--model", model, stdin="first\nsecond\nthird\n")
    assert done.returncode == 5
    assert done.stderr.count("blocked") == 1
    assert "One." in done.stdout
    assert "Three." in done.stdout
    assert done.stdout.splitlines()[-1].startswith("resume with: ")


def test_sigint_from_outside_is_ctrl_c(ragforge: CommandLine) -> None:
    with chat(ragforge, "--model", ragforge.script({"text": "Some\n\n", "hang": True})) as terminal:
        terminal.type("go" + ENTER)
        terminal.expect("Some")
        terminal.signal(signal.SIGINT)
        terminal.expect("interrupted; the answer so far is kept")
        terminal.type(CTRL_D)
        assert terminal.wait() == 0


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


def test_sigterm_at_the_prompt_leaves(ragforge: CommandLine) -> None:
    with chat(ragforge, "--model", ragforge.script("One.")) as terminal:
        terminal.type("go" + ENTER)
        terminal.expect(r"One\.")
        terminal.expect(PROMPT)
        terminal.signal(signal.SIGTERM)
        terminal.expect(r"resume with: ragforge chat -r [0-9a-f]{8}")
        assert terminal.wait() == 143
        assert "Traceback" not in terminal.screen


def test_without_auto_save_a_chat_says_what_is_not_kept_and_saves_on_demand(ragforge: CommandLine) -> None:
    settings = "{embeddings: {provider: hashing}, persistence: {auto_save: false}}"
    (ragforge.project / "ragforge.config.yaml").write_text(f"agent: {{memory: {settings}}}\n")
    with chat(ragforge, "--model", ragforge.script("One.", "Two.")) as terminal:
        assert "auto_save is off" in terminal.screen
        terminal.type("first" + ENTER)
        terminal.expect(r"One\.")
        terminal.expect(PROMPT)
        terminal.type("/save" + ENTER)
        terminal.expect("saved")
        terminal.expect(PROMPT)
        terminal.type("second" + ENTER)
        terminal.expect(r"Two\.")
        terminal.expect(PROMPT)
        terminal.type(CTRL_D)
        terminal.expect("not saved: agent.memory.persistence.auto_save is off")
        assert terminal.wait() == 0
    [kept] = ragforge.json("conversations", "list", "--json")["items"]
    assert kept["message_count"] == 2
    ragforge.ok("ask", "third", "--no-ingest", "--model", ragforge.script("Three."))
    assert len(ragforge.json("conversations", "list", "--json")["items"]) == 2
