"""Messages of programs, as they are pasted."""

from __future__ import annotations

import re

import pytest

from ragforge_memory.language.reading.pasted import Pasted, fitting, pasted, pieces_of
from ragforge_memory.language.reading.questions import read_questions


def read(text: str) -> Pasted | None:
    return pasted(text, read_questions(text))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ('what does "pool size cannot be less than 1" mean?', "pool size cannot be less than 1"),
        ("where does 'no such session found' come from", "no such session found"),
        ("why do I get `queue is full`?", "queue is full"),
        ('where does "no processor for "*" yet" come from?', 'no processor for "*" yet'),
        ("Error: No active router has been determined yet.", "No active router has been determined yet."),
        ("java.sql.SQLException: connection is closed", "connection is closed"),
        ("[ERROR] could not open the store", "could not open the store"),
        ("app: fatal error: must set a name", "must set a name"),
        ("I get this error: the queue is full", "the queue is full"),
    ],
)
def test_what_is_said_to_be_a_message(said: str, message: str) -> None:
    assert read(said) == Pasted(message, sure=True)


@pytest.mark.parametrize(
    "said",
    ["Context is not finalized. Did you forget to return a response?", 'unknown command "foo" for "root"',
     "No filter named 'foo'."],
)  # fmt: skip
def test_a_statement_may_be_one(said: str) -> None:
    assert read(said) == Pasted(said, sure=False)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("where does the error No filter named 'foo' come from?", "No filter named 'foo'"),
        ('why do I get unknown command "foo" for "root"?', 'unknown command "foo" for "root"'),
        ("which line prints the message pool is closed now?", "pool is closed now"),
    ],
)
def test_what_a_question_says_is_printed_may_be_one(said: str, message: str) -> None:
    assert read(said) == Pasted(message, sure=False)


@pytest.mark.parametrize(
    "said",
    [
        "how does login work for new users",
        "where is the function that parses options?",
        'what did we say about "the pool size limit"?',
        'how does the "slow path of retry" differ from the fast one?',
        "we decided that the pool has ten connections",
        "note: errors should be raised at once",
        "parse options",
        "show me the code of the parser",
        "ok, I see what you mean there",
        'where is "ErrorList"?',
    ],
)
def test_what_is_none(said: str) -> None:
    assert read(said) is None


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("leak detected for conn0 on thread main", 'log.warn("Leak detected for {} on thread {}", name, thread);'),
        ("open failed: not a terminal", '  error("could not")  report("open failed now: %s", why)'),
        ("no session named x", "fail(`no session named ${name}`)"),
        ('unknown command "foo" for "app"', 'return fmt.Errorf("unknown command %q for %q%s", name, path, more)'),
        ("accepts between 1 and 3 args, received 5", 'Errorf("accepts between %d and %d args, received %d", a, b, n)'),
    ],
)
def test_a_line_that_a_message_is_made_in(message: str, line: str) -> None:
    assert re.search(pieces_of(message), line, re.I) or "failed now" in line
    found = fitting(Pasted(message, sure=True), line)
    assert (found is None) is ("failed now" in line)
    assert found is None or not found.exact


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("No filter named 'foo'.", '    msg = f"No {type_name} named {name!r}."'),
        ('unknown command "foo" for "root"', 'return fmt.Errorf("unknown command %q for %q%s", name, path, more)'),
        ("cannot read 'notes' now", "raise Error('cannot read %s now' % path)"),
    ],
)
def test_a_whole_string_with_its_holes_filled_makes_even_what_may_be_none(message: str, line: str) -> None:
    assert re.search(pieces_of(message), line, re.I)
    found = fitting(Pasted(message, sure=False), line)
    assert found is not None
    assert found.whole


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("the size of the pool is too large here", 'log("the {} of {}", a, b)'),
        ("No filter named 'foo'.", 'msg = f"No {type_name} named {name!r} is known."'),
        ("No filter named 'foo'.", 'msg = f"{kind} named {name}" if kind else "No"'),
    ],
)
def test_a_string_that_leaves_most_of_it_open_makes_none(message: str, line: str) -> None:
    assert fitting(Pasted(message, sure=False), line) is None


def test_as_it_stands_over_punctuation() -> None:
    message = Pasted("nest with care, unset $HOME to force", sure=True)
    found = fitting(message, 'error("nest with care, " "unset $HOME to force\\n");')
    assert found is not None
    assert found.exact


def test_what_shares_some_words_is_another() -> None:
    line = 'raise Error("the connection is not a pooled one")'
    assert fitting(Pasted("the connection is not open for reading now", sure=True), line) is None


def test_two_words_in_quotes_are_a_message_where_they_are_said_to_be_one() -> None:
    for said in ('where is the "unknown command" error message?', 'where does "unknown command" come from?'):
        assert read(said) == Pasted("unknown command", sure=True)
    for said in ('where is "unknown command"?', "where does `unknown command` come from?", 'what is "the parser"?'):
        assert read(said) is None
