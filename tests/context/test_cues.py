"""The quick ways of looking at words say what the slow ones say."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragforge_memory.agent.context import importance
from ragforge_memory.agent.context.importance import (
    deciding_sentences,
    importance_of,
    key_sentences,
    sentences_and_lines,
)
from ragforge_memory.graph import text as graph_text
from ragforge_memory.graph.text import terms
from ragforge_memory.language.reading.prose import sentences
from ragforge_memory.language.reading.title import condensed
from ragforge_memory.text import word_cache
from ragforge_memory.text.word_cache import WordCache

CUES = (
    "we",
    "won't",
    "opted for",
    "final choice is",
    "exited with code 3",
    "chose",
    "will use",
    "agreed",
    "to",
    "error",
    "ValueError",
    "bugs",
    "broken",
    "İt",
    "must",
    "do not",
    "go with",
    "switched to",
    "ok,",
    "it is",
    "use",
    "zstd, not",
    "broke",
    "throws",
    "no longer works",
    "决定",
    "entschieden",
)
OTHERS = (
    "the",
    "parser",
    "is.",
    "fixed",
    "handling",
    "Wrong!",
    "load_items",
    "getHTTPUrl",
    "a.b.c",
    "\n",
    "we'll keep",
)
POLITE = (
    "Never mind.",
    "nevermind",
    "Don't worry about it.",
    "I don't understand this.",
    "i do not know",
    "You must be joking.",
    "It must have been late.",
    "Always nice to hear.",
    "I won't know that.",
    "It ended with exit code 0.",
    "The request was rejected by the server.",
    "Should we go with uvloop?",
    "Tell me when we switch to Postgres.",
    "If we went with Redis, what would change?",
    "I know where we switched to it.",
    "OK, I know what it is.",
    "So that is how it is.",
    "Fine, here it is.",
    "Good, I think it is.",
    "Well, yes it is.",
    "I am stuck with this one.",
    "I switched to the other branch.",
    "The cache is used, not the file.",
    "Let me pick one.",
    "He broke off in the middle.",
    "The file has line breaks in every row.",
    "Throw it away.",
    "That throws away what was read.",
    "The wrapper breaks the text into lines.",
    "If so we would go with nothing.",
    "We'd go with it.",
    "It no longer matters.",
    "It does not matter.",
    "We are over to the next topic.",
    "Das ist noch nicht entschieden.",
    "Ce n'est pas encore décidé.",
    "这取决于我们，由你决定。它是决定性的。",
    "オブジェクトのエラー処理を読みます。",
    "Elle lit le message d'erreur.",
    "Мы решили задачу.",
    "The run had no failures and 0 failures before.",
    "Hang on, I hung up the phone.",
    "The status code is nice.",
    "This is the final part of the text.",
    "Is it final?",
    "It returns 42 here.",
    "The connection is read.",
    "I read the chosen file.",
)
CHOSEN = (
    "We're going to switch to Postgres15.",
    "We're going to ship with zstd4, not gzip.",
    "Going forward the wire format is msgpack9.",
    "The verdict: tabs17 stay.",
    "Policy: nobody merges on Fridays.",
    "Remember: the seed is 77.",
    "The port is 8443, final.",
    "Let's name it lantern.",
    "Important: tokens expire after 15 minutes.",
    "ADR-7: events are immutable.",
    "The team voted for trunk-based development.",
    "We've standardised on pnpm.",
    "Option B it is.",
    "We have finally switched to Postgres.",
    "We are moving to Kafka.",
    "We go with uvloop3.",
    "In the end we went with uvloop.",
    "We stick with pytest.",
    "We've chosen nginx.",
    "We decide on blue.",
    "Use zstd99, not gzip, for the archives.",
    "OK, use zstd instead of gzip.",
    "OK, Kafka21 it is.",
    "Fine, the blue one it is then.",
    "I'd rather have Redis77 there, so that is what we do.",
    "That's what we'll use.",
    "The plan is to keep msgpack7 as the wire format.",
    "It's settled: tabs.",
    "Wir haben entschieden, Argon88 zu nehmen.",
    "Nous avons choisi nginx55 comme proxy.",
    "C'est décidé, on garde Redis.",
    "Hemos decidido usar nginx.",
    "Decidimos usar o nginx.",
    "Мы решили использовать nginx.",
    "我们决定使用 sqlite66 作为存储。",
    "キャッシュには Redis を使うことにしました。",
    "nginx를 쓰기로 했습니다.",
)
BROKEN = (
    "The build broke: undefined symbol foo_bar31.",
    "That commit breaks the build.",
    "pytest reports 3 failures in test_auth.py.",
    "The migration aborted at step 12.",
    "The worker hangs at shutdown.",
    "The proxy answered with HTTP 502.",
    "It returned status 503 for every upload.",
    "There is a memory leak in the pool.",
    "test_login is failing on CI.",
    "POST /pay returns 500 since Tuesday.",
    "connect ECONNREFUSED 127.0.0.1:5432",
    "fatal: not a git repository",
    "The build is red.",
    "It throws a NullPointer at Auth.java:217.",
    "The parser threw on line 3.",
    "It doesn't compile.",
    "The login no longer works.",
    "cat: /bin/junk: No such file or directory",
    "Der Build ist fehlgeschlagen.",
    "La compilation a échoué.",
    "构建时报错了。",
    "ビルドでエラーが出ました。",
)
RULES = (
    "Tests must not touch the network.",
    "Never call the API from the parser.",
    "Always run the linter.",
    "Don't use globals.",
    "I don't want globals.",
    "The client must be closed.",
    "We never mutate it.",
    "We opted for RabbitMQ over Kafka.",
    "The final choice is blue-green deployment.",
    "We will not support IE11.",
    "We won't ship it.",
    "We rejected MongoDB.",
    "Segmentation fault (core dumped) in worker 3.",
    "The nightly backup exited with code 137.",
)
texts = st.lists(st.sampled_from((*CUES, *OTHERS)), max_size=14).map(" ".join)


@given(texts)
@example("We chose it. No error.")
@example("That is an error handler")
@example("we  will\nuse it")
def test_a_message_weighs_what_its_sentences_say(text: str) -> None:
    kinds = {kind for kind, _ in key_sentences(text)}
    assert (importance_of(text) == 0.8) == bool(kinds & {"decision", "error"})


@pytest.mark.parametrize("text", POLITE)
def test_manners_are_no_rule(text: str) -> None:
    assert importance_of(text, role="user") is None


@pytest.mark.parametrize("text", CHOSEN)
def test_what_was_chosen_is_a_decision_however_it_is_said(text: str) -> None:
    assert importance_of(text, role="user") == 0.8
    assert "decision" in {kind for kind, _ in key_sentences(text)}
    assert "".join(deciding_sentences(f"The parser reads all of the columns of the table first. {text}"))


@pytest.mark.parametrize("text", BROKEN)
def test_what_broke_is_an_error_however_it_is_said(text: str) -> None:
    assert importance_of(text, role="user") == 0.8
    assert [kind for kind, _ in key_sentences(text)] == ["error"]


@pytest.mark.parametrize("text", RULES)
def test_rules_decisions_and_errors_weigh_most(text: str) -> None:
    assert importance_of(text, role="user") == 0.8


@given(st.lists(texts, max_size=4), st.integers(1, 6))
def test_words_say_the_same_however_much_is_remembered(given_texts: list[str], most: int) -> None:
    before, word_cache._REMEMBERED = word_cache._REMEMBERED, most
    try:
        says = WordCache(lambda word: word.upper() if "e" in word else "")
        for text in given_texts:
            assert says(text) == [word.upper() for word in dict.fromkeys(text.split()) if "e" in word]
    finally:
        word_cache._REMEMBERED = before


@pytest.mark.parametrize(
    "text",
    [
        "We decided that make() rejects .. segments because of path traversal.",
        "We decided to keep Python 3.9, e.g. for Debian.",
        "We decided on plain names, i.e. no prefixes.",
        "We decided to leave build, dist etc. where they are.",
        "We decided on f(a, ...) over g(b, ... ) since it is shorter.",
    ],
)
def test_dots_that_end_nothing_cut_no_decision(text: str) -> None:
    assert sentences_and_lines(f"{text} It holds.") == [text, "It holds."] == sentences(f"{text} It holds.")
    assert condensed(text)[-3:] not in ("..", "e.g", "i.e", "etc")
    assert sentences_and_lines("It rejects dots, etc. Then it ends.") == ["It rejects dots, etc.", "Then it ends."]


def test_many_words_that_say_something_come_in_their_order() -> None:
    words = [f"name_{number}" for number in range(40)]
    assert WordCache(lambda word: word)(" ".join([*words, *words])) == words
    assert terms(" ".join(words)).split() == ["name", *map(str, range(40))]


def test_the_parts_of_a_lone_identifier_are_those_that_a_text_with_it_gives() -> None:
    for piece in (
        "a.b.c",
        "getHTTPUrl_v2",
        "__init__",
        "_x",
        "f(load_items)",
        "v2",
        "load1Items,",
        "_",
    ):
        slow = {
            part: None
            for identifier in graph_text._IDENTIFIER.findall(piece)
            if len(parts := graph_text.identifier_parts(identifier)) > 1
            for part in parts
        }
        assert graph_text._parts_in(piece) == slow, piece
    assert list(graph_text._parts_in("Ünicode_name")) == ["ünicode", "name", "unicode_name"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("größeBerechnen", "größe berechnen"),
        ("gro\u0308ßeBerechnen", "größe berechnen"),
        ("ÄndereHTTPÜbertragung", "ändere http übertragung anderehttpubertragung"),
        ("получитьДанные", "получить данные"),
        ("使用getUser方法", "get user"),
        ("第3章", ""),
        ("über", "uber"),
    ],
)
def test_identifiers_have_their_parts_in_other_alphabets_too(text: str, parts: str) -> None:
    assert set(terms(text).split()) == set(parts.split())
    assert {"größe", "berechnen"} <= set(graph_text.query_words("größeBerechnen"))


def test_no_cue_goes_by_unseen() -> None:
    assert all(importance._ANY.search(first) for _, first in importance._ANY_WORD)
