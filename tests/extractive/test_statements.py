"""What is told and not asked: corrections, rules, amounts, how things are; and what sounds like it."""

from __future__ import annotations

import re
import time

import pytest

from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.reading.small_talk import DEED, SET
from ragforge_memory.language.reading.small_talk import NOTED as DECIDES
from ragforge_memory.language.reading.statements import noted_in
from ragforge_memory.language.said.openings import NOTED
from ragforge_memory.llm.extractive.said.noted_answer import noted


def forms(text: str) -> list[str]:
    return [each.form for each in read_questions(text, ())]


@pytest.mark.parametrize(
    "text",
    [
        "update: Schema.dump must not sort keys",
        "Correction: the timeout becomes 10 seconds, not 5",
        "We changed our mind: QueryParams may be mutable",
        "scratch that, QueryParams stays immutable",
        "actually we use requests-cache instead of hishel",
        "actually, they keep it on the same origin",
        "actually, it does count them",
        "That is wrong: retries default is 2",
        "No, max redirects is 40",
        "Actually, the retries limit should be 5, not 3",
        "FYI the CI only runs on Linux",
        "The plan is to drop Python 3.9 in March",
        "Never use print in httpx/_transports",
        "I think the retries limit should be 3",
        "Keep in mind that Headers.raw is used by the proxy team",
        "We're going to drop MySQL",
        "we are going to keep the old endpoint until March",
        "I would rather not have a singleton here",
        "use httpx instead of requests",
        "Use the async client rather than requests",
        "The parser must be pure",
        "Sessions live in Redis",
        "All timestamps are UTC.",
        "Passwords are hashed with argon2",
        "Access tokens expire after 15 minutes.",
        "the worker runs on port 9000",
        "Every request has an id",
        "uploads are encrypted",
        "we'll use Vite for bundling",
        "small note: CI is flaky on Mondays",
        "important: backups are tested monthly",
        "one more thing: the deploy key expires in May",
        "just fyi, staging is down",
        "the timeout is not 5 seconds",
        "we go with typer",
        "config lives in ~/.config/app",
        "Evaluation runs nightly",
        "use seed 42 everywhere",
        "the dataset is v3",
        "standup is at 9:30",
        "todo (Kim): reindex nightly",
        "we cache product pages for 5 minutes",
        "we don't abbreviate",
        "Use snake_case for columns",
        "Jobs are retried three times",
        "GDPR requests are answered within 7 days",
        "wait, jobs are retried five times",
        "never mind, columns stay snake_case",
        "p95 target is 250 ms",
        "The freeze starts on April 28.",
        "we postponed the release to May 10",
        "we picked Zustand for state",
        "I prefer tabs over spaces",
        "let's version by path after all",
        "Rate limits apply per user, not per IP",
        "Migrations run before deploy",
        "deploys happen on Tuesday",
        "Telemetry is now disabled.",
        "We still support Python 2",
        "the limit is no longer 5",
        "The staging database is called helios",
        "Sessions moved to Memcached, not Postgres",
        "Sorry, the queue runs on Kafka",
        "We don't use trio anymore",
        "Client.send never logs headers",
        "no, Traverse drops them",
        "no, Anna owns it now",
        "still to do: document the timeout phases",
        "I still have to update the docs of genMan",
        "the retry limit is 2 by default",
        "max password length is 72",
        "the owner of the doc folder is Marc",
        "Our base image is Alpine 3.",
        "fact: the deploy key is in 1Password",
        "done: write the migration",
        "The migration is done.",
        "I've finished the migration",
        "Anna reviews the metrics module",
        "Ben is responsible for the releases.",
        "the default branch is `trunk`",
        "The retry loop always closes the response",
    ],
)
def test_corrections_and_rules_are_noted(text: str) -> None:
    assert forms(text) == ["noted"]


@pytest.mark.parametrize(
    "text",
    [
        "functions that should be tested",
        "which functions must never block",
        "should Client.send retry?",
        "show me the function that may fail",
        "No, I mean the other one",
        "the default timeout",
        "no, it was fine",
        "that is ok",
        "No, that's a good idea.",
        "no, May 3",
        "no, thanks",
        "no worries, it works",
        "We should talk about the parser",
        "we must check the parser",
        "We're going to need a bigger cache, where is it?",
        "we are going to look at the parser",
        "I was wondering whether we should use Redis",
        "You must be joking",
        "it never works",
        "which limit is 5",
        "the answer is No",
        "the error is KeyError",
        "the class is `Parser`",
        "the function that is Parser",
        "the tests are green",
        "functions whose limit is 5",
        "make sure it never crashes again",
        "Write a test that always passes",
        "functions that never return",
        "which one never closes?",
        "Always nice to hear",
        "use the search tool to find it",
        "functions that are called in main",
        "let's look at the parser",
        "actually I have a question",
        "use crate::geometry::util as u;",
        "We went to the lake",
        "Bad input is refused before anything is written",
        "we are going to need a bigger cache, where is it?",
        "the parser is at line 9",
        "we don't know why it fails",
        "use case for load_rows",
        "the parser starts on line 5",
        "connection is refused",
        "the limit is exceeded",
        "the response is parsed for errors",
        "I moved on",
        "i fixed it",
        "we'll see",
        "the build is failed",
        "the tests are needed",
        "uploads are encrypted?",
        "the test no longer fails",
        "errors are raised in parse",
        "all callers of login have changed",
        "all functions in auth",
        "code that runs on startup",
        "the parser is called in load",
        "why don't we use trio",
        "is the migration done?",
        "when the migration is done, where is it",
        "what is done",
        "where do sessions live",
    ],
)
def test_what_asks_is_not_noted(text: str) -> None:
    assert "noted" not in forms(text)


@pytest.mark.parametrize(
    "text",
    ["No, thanks", "no thank you!", "no worries", "No worries, it works now.", "no, it was fine", "that is ok for me"],
)
def test_thanks_and_what_approves(text: str) -> None:
    assert forms(text) == ["thanks"]


@pytest.mark.parametrize("text", ["no worries, the limit must be 5", "nope, we use Memcached now", "no, it is 5"])
def test_what_is_told_behind_a_no_is_noted(text: str) -> None:
    assert forms(text) == ["noted"]


@pytest.mark.parametrize(
    "text",
    [
        "The pool size is 10.",
        "the upload limit is 10 MB",
        "Our retries are at most 5 per host",
        "the release is May 3",
        "The retries are three.",
    ],
)
def test_what_says_how_much_something_is_is_noted(text: str) -> None:
    assert forms(text) == ["noted"]


@pytest.mark.parametrize(
    "text",
    [
        "the pool size is 10?",
        "is the pool size 10",
        "the function that is 3 lines long",
        "the parser is in core.py",
        "the pool size is too small",
        "the tests are 3 of those that fail",
        "where the limit is 10",
        "the pool_size is where",
    ],
)
def test_what_says_no_amount_is_not_noted(text: str) -> None:
    assert "noted" not in forms(text)


def test_a_note_is_said_to_be_found_by_what_finds_it() -> None:
    assert noted("The pool size is 10.") == f"{NOTED} about pool size` finds it again."
    assert noted("Actually 12.", "The pool size is 10.").startswith(f"{NOTED} about pool size` finds it again.")
    assert noted("uploads are limited to 10 MB") == f"{NOTED} about uploads` finds it again."
    assert noted("We decided that the pool size is 10.") == f"{NOTED}` lists it."


@pytest.mark.parametrize(
    "said",
    [
        "note: not sure about Redis, but use it for now",
        "decision: no decisions on Friday",
        "note: we never decided who owns the parser, so ask Bob",
        "note:\n- load() is slow\n- save() is fast",
        "Thanks, note: the pool is small",
        "todo: decide whether to use Redis; not sure",
        "note: " + "the pool is small and the queue is long, " * 12,
        "note: why? because the parser is slow",
        "todo: is the port right?",
    ],
)
def test_what_says_that_it_is_a_note_is_one_whatever_stands_in_it(said: str) -> None:
    assert noted_in(said)
    assert [question.form for question in read_questions(said)] == ["noted"]


@pytest.mark.parametrize(
    "said",
    [
        "Don't log passwords for now",
        "Thanks. Sessions live in Redis.",
        "Sessions live in Redis. Access tokens expire after an hour.",
        "We decided to keep 31. It is never changed.",
        "We decided to keep cents. It is in `interest`.",
        "Probably. Let's use Postgres full text instead.",
    ],
)
def test_what_is_acknowledged_is_kept(said: str) -> None:
    assert {*forms(said)} <= {"noted", "thanks"}
    assert noted_in(said)


@pytest.mark.parametrize("said", ["Don't run the tests yet", "we never discussed Redis", "Hello. Thanks."])
def test_what_is_not_kept_is_not_acknowledged(said: str) -> None:
    assert forms(said)
    assert "noted" not in forms(said)
    assert not noted_in(said)


def test_a_question_behind_a_note_is_answered_too() -> None:
    assert forms("note: the pool is small. Where is load_rows?") == ["noted", "where"]
    assert forms("note: the pool is small. Is it?") == ["noted"]


@pytest.mark.parametrize("form", [SET, DEED])
def test_a_long_sentence_that_says_nothing_is_soon_passed_over(form: re.Pattern[str]) -> None:
    """Imports ask it of every message: what could stand anywhere in a sentence is looked for last."""
    said = "handler " * 36

    def seconds(pattern: re.Pattern[str]) -> float:
        def once() -> float:
            began = time.process_time()
            for _ in range(500):
                assert pattern.match(said) is None
            return time.process_time() - began

        return min(once() for _ in range(5))

    assert seconds(form) < 2 * seconds(DECIDES)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("note: the limit is 40", "note: the limit is 40"),
        ("It is slow. We decided to cache it.", "We decided to cache it."),
        ("The pool size is 10.", "The pool size is 10."),
        ("Where is check?", None),
        ("Did we decide to cache it?", None),
        ("Use httpx instead of requests.", "Use httpx instead of requests."),
        ("Hm. I'd rather not have a singleton.", "I'd rather not have a singleton."),
        ("We should talk about the parser.", None),
        ("Sessions live in Redis", "Sessions live in Redis"),
        ("All timestamps are UTC.", "All timestamps are UTC."),
        ("The value is computed in load. Why is it wrong?", None),
        ("I was wondering whether we should use Redis.", None),
        ("We decided. " + "x" * 3_000, None),
    ],
)
def test_a_note_is_told_from_a_question(text: str, note: str | None) -> None:
    assert noted_in(text) == note
