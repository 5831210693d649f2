"""A note that a later one corrects says so where it is quoted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.said.corrections import Corrections
from ragforge_memory.language.said.echoes import only_repeats
from ragforge_memory.language.said.openings import EVERY_TO_DO
from ragforge_memory.llm.extractive.said.sayings import decisions, sayings

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def messages(*texts: str) -> list[dict[str, Any]]:
    """The user's messages, a day apart."""
    return [
        {
            "role": "user",
            "excerpt": text,
            "message_id": f"{at:032x}",
            "conversation_id": "c" * 32,
            "timestamp": (BEGIN + timedelta(days=at)).isoformat(),
            "this_conversation": True,
        }
        for at, text in enumerate(texts)
    ]


def marked(lines: list[str]) -> dict[str, str]:
    """What is said to be later, by the message that is quoted before it."""
    quoted, found = "", {}
    for line in lines:
        if line.startswith("  >"):
            quoted = line.removeprefix("  > ")
        elif line.startswith(("  (later: ", "  (done: ")):
            found[quoted] = line.partition(': "')[2].removesuffix('")')
    return found


def listed(said: list[dict[str, Any]]) -> dict[str, str]:
    """What corrects each of them where all that was decided is listed."""
    met: Corrections[None] = Corrections()
    found = {}
    for each in reversed(said):
        if later := met.of(each["excerpt"]):
            found[each["excerpt"]] = later[0]
        met.meet("user", each["excerpt"], None)
    return found


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("decision: we use supertest for all tests in `app.use`", "no, we use vitest for all tests in `app.use`"),
        ("we use Redis for sessions", "update: we use Postgres for sessions now"),
        ("the port is 8080", "actually the port is 9090"),
        ("note: the port is 8080", "update: the port is 9090"),
        ("we decided that the port is 8080", "we changed our mind: the port is 9090"),
        ("note: the port is 8080", "no, the port is 9090"),
        ("todo: migrate the port", "done: migrate the port"),
        ("still to do: document the port range", "the port range is done"),
        ("I still have to document the port", "we have finished the port"),
        ("Anna reviews the metrics module", "no, Erik reviews the metrics module"),
        ("note: Redis keeps the open sessions", "correction: Postgres keeps the open sessions"),
        ("we decided to keep sessions in Redis", "correction: sessions are in Postgres"),
        ("we decided that tokens expire after an hour", "Actually, tokens never expire."),
        ("we use tabs for indentation", "we no longer use tabs"),
        ("note: load_rows is eager", "I was wrong, load_rows is lazy"),
        # Neither says that it corrects the other, and both cannot hold.
        ("The port range is 100", "The port range is 200"),
        ("note: the read port is 8080", "the read port is 9090"),
        ("Sessions live in Redis", "Sessions now live in Postgres, not Redis"),
        ("Sessions live in Redis", "sessions moved to Memcached"),
        ("the sessions queue runs on Redis", "The sessions queue runs on Kafka now"),
        ("tokens expire after an hour", "Tokens expire after a day"),
        ("load_rows never logs", "load_rows always logs"),
        ("Anna reviews the metrics module", "Erik reviews the metrics module now"),
        ("the port is 8080", "the port is 9090 now"),
        ("decision: tabs for rows", "we decided against tabs"),
        ("the port range is 5", "the port range is no longer 5"),
        ("load_rows must accept zero", "load_rows must not accept zero"),
        ("the port check runs nightly", "The port check runs weekly"),
        ("the port review is at 9:30", "the port review moved to 10:00"),
        ("sessions are cached for 10 minutes", "sessions are cached for 5 minutes"),
        ("sessions are retried three times", "Wait, sessions are retried five times"),
        ("Actually the port stays 8080", "never mind, the port stays 9090"),
        ("bug: the port check ignores tabs", "fixed: the port check ignores tabs"),
        ("The nightly port check runs on Tuesday", "The nightly port check runs on Friday"),
        ("note: port checks happen on Tuesday", "correction: port checks happen on Friday"),
        ("we still support the port of Python 2", "update: we no longer support the port of Python 2"),
        ("the sessions queue runs on Python 2", "the sessions queue runs on Python 3.9"),
        ("we decided that the port is 8080", "the port is no longer 8080"),
        ("note: the port is 8080", "update the note: the port is 9090"),
        ("sessions are encrypted", "update: sessions are compressed"),
        ("note: the port check drops tabs", "actually the port check keeps tabs"),
        ("the owner of the port is Marc", "The owner of the port is Anna now."),
        ("the port is 8080", "Thanks! Update: the port is 9090"),
        ("note: load_rows must not be cached", "update: load_rows may be cached, but only for the tabs of one user"),
        ("remember that Anna owns the port mappings", "update: Bob owns the port mappings, not Anna"),
        ("we use tabs, not spaces, for rows", "update: we use spaces instead of tabs, for rows"),
        ("we decided that load_rows stays until 2.0, for plugins", "we changed our mind: load_rows goes away in 1.11"),
    ],
)
def test_a_correction_marks_what_it_corrects(first: str, then: str) -> None:
    said = messages(first, then)
    query = "port sessions tokens tabs load_rows"
    for word in query.split():
        if word in first and word in then:
            assert marked(sayings(word, {"query": word, "messages": said})) == {first: then}
    [(note, corrected)] = listed(said).items()
    assert note == first
    assert then.endswith(corrected)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("we use Redis for sessions", "update: we use Redis for the queue"),
        ("we use Redis for sessions", "update: we use Postgres for users"),
        ("The limit before login is 10", "The limit after login is 20"),
        ("The limit with auth is 10", "The limit without auth is 20"),
        ("remember that Anna owns the port mappings", "update: Bob owns the sessions, not Anna"),
        ("note: the port is 8080", "note: the port is 9090"),  # no correction, it may be another port
        ("note: the port is 8080", "update: sessions are kept in Postgres"),
        ("note: retries are capped at 3 for uploads", "update: uploads must be chunked"),
        ("update: the port is 9090", "what is the port actually?"),
        ("we decided that uploads and parsers use a fixture", "No, the tests pass, it was my network."),
        ("note: uploads are no longer than 20 bytes", "Names in the API must be no longer than 40 bytes."),
        ("note: uploads must reject tabs", "The uploads no longer crash on empty input."),
        ("note: the connect port is 8080", "actually the read port is 9090"),
        ("note: uploads are limited to 10 MB", "actually downloads are limited to 50 MB"),
        ("The port range is 100", "the port range is  100"),
        ("uploads live in S3", "The uploads worker lives in S3"),
        ("uploads are stored in S3", "uploads are stored as chunks"),
        ("uploads run on the worker", "uploads are kept in S3"),
        ("the read port is 8080", "the write port is 9090"),
        # The same again, or more of it.
        ("the port range is 100", "note: the port range is 100."),
        ("uploads live in Redis", "We decided that uploads live in Redis"),
        ("uploads live in Redis", "Uploads still live in Redis"),
        ("the port range is 2", "the port range is two"),
        ("update: the port is 9090", "Update: the port is 9090"),
        ("uploads never log", "Actually, uploads must never log."),
        # Both may hold.
        ("uploads are written to stdout", "uploads are written in JSON"),
        ("uploads are stored in UTC", "uploads are stored in milliseconds"),
        ("uploads are stored in S3", "uploads are kept in sync"),
        ("uploads run on Linux", "uploads run on every push"),
        ("uploads are called twice", "uploads are called asynchronously"),
        ("uploads run in CI", "uploads run in parallel"),
        ("todo: migrate the port", "the port migration is not done"),
        ("todo: migrate the port", "done: document the port"),
        ("note: the port is migrated on Monday", "the port is done"),
        ("Anna reviews the port module", "Erik reviews the port module"),
        ("Anna reviews the port module", "no, Erik reviews the uploads module"),
        ("note: the port is lazy", "Update: the port has 20 connections"),
        ("update: the service auth has port 8080", "Update: the service billing has port 9090"),
        ("uploads never log", "No, uploads are fine."),
        ("we support uploads of Python 3.9", "update: we no longer support uploads of Python 2"),
        ("uploads must be cached", "uploads may be cached"),
        ("uploads run at 9:30", "uploads moved to AWS"),
        ("uploads are cached for 10 minutes", "uploads are retried for 10 seconds"),
        ("the uploads check runs on Linux", "the uploads check runs on Tuesday"),
        ("we no longer upload from laptops", "correction: uploads happen on Friday"),
        ("the uploads worker is slow", "actually the uploads worker is broken"),
        ("the port is 8080", "If the port is no longer 8080, we decided to alert"),
    ],
)
def test_what_corrects_nothing_marks_nothing(first: str, then: str) -> None:
    said = messages(first, then)
    assert listed(said) == {}
    for word in ("port", "uploads"):
        assert marked(sayings(word, {"query": word, "messages": said})) == {}


def test_what_is_done_is_no_longer_to_be_done() -> None:
    def note(text: str, at: int, by: str = "", done: str = "") -> dict[str, Any]:
        (told,) = messages(text)
        corrected = {"corrected": {"message_id": by, "timestamp": "2026-01-02T00:00:00", "excerpt": done}} if by else {}
        return {**told, "message_id": f"{at:032x}", **corrected}

    every = [
        note("we still support Python 3.8", 9),
        note("todo: write the docs", 1),
        note("todo: write the migration", 2, "a", "done: write the migration"),
        # One of these two is.
        note("todo: check the parser", 3, "b", "the parser is done"),
        note("todo: move the parser", 4, "b", "the parser is done"),
        note("todo: bump the version", 5, "c", "update: bump the version on Monday"),
    ]
    lines = decisions({"decisions": every}, called=EVERY_TO_DO)
    assert [line for line in lines if line.startswith("  > ")] == [
        f"  > todo: {each}" for each in ("write the docs", "check the parser", "move the parser", "bump the version")
    ]
    nothing = decisions({"decisions": every[2:3]}, called=EVERY_TO_DO)
    assert nothing == ["Nothing found that was noted to be done in our conversations that is not done."]
    assert only_repeats("assistant", nothing[0])


def test_of_several_corrections_the_last_is_told() -> None:
    said = messages("note: the port is 8080", "update: the port is 9090", "update: the port is 7070")
    last = said[-1]["excerpt"]
    assert listed(said) == {each["excerpt"]: last for each in said[:-1]}


def test_what_is_said_once_more_holds_again() -> None:
    said = messages("the port range is 100", "the port range is 200", "The port range is 100")
    assert listed(said[:2]) == {said[0]["excerpt"]: said[1]["excerpt"]}
    assert listed(said) == {said[1]["excerpt"]: said[2]["excerpt"]}
    assert marked(sayings("port", {"query": "port", "messages": said})) == {said[1]["excerpt"]: said[2]["excerpt"]}


def test_a_long_correction_is_told_by_its_beginning() -> None:
    said = messages("note: the port is 8080", f"update: the port is {'9' * 250}\nand more")
    [(_, told)] = marked(sayings("port", {"query": "port", "messages": said})).items()
    assert told.startswith("update: the port is 999")
    assert len(told) < 200


@pytest.mark.parametrize("text", ["actually the port is 9090", "Actually, sessions have a limit."])
def test_what_actually_is_so_is_noted(text: str) -> None:
    assert [each.form for each in read_questions(text)] == ["noted"]


@pytest.mark.parametrize("text", ["actually where is echo", "actually what is the port", "is the port actually 9090?"])
def test_what_actually_asks_is_not_noted(text: str) -> None:
    assert "noted" not in [each.form for each in read_questions(text)]


def test_the_last_correction_of_the_same_subject_counts() -> None:
    met: Corrections[int] = Corrections()
    met.meet("user", "Update: the read timeout is 30.", 3)
    met.meet("assistant", "Update: the read timeout is 99.", 2)
    met.meet("user", "Update: the read timeout is 20.", 1)
    met.meet("user", "Is it that the read timeout is no longer 10?", 0)
    assert met.of("The read timeout is 10.") == ("Update: the read timeout is 30.", 3)
    assert met.of("The connect timeout is 10.") is None
    assert met.of("") is None
