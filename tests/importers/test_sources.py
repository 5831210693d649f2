"""Sources: what is malformed or too large is named by its line, wherever a buffer ends."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragforge_memory import InvalidInput
from ragforge_memory.importers import source as sources
from ragforge_memory.importers.source import JsonDocument, Source, json_lines
from tests.importers.reading import OneByOne, flawed, outcomes, read

HELLO = {"role": "user", "content": "hello"}


@pytest.mark.parametrize(
    "data", ["", "  \n ", "[]", "{}", "7", "null", "hello", '"x"', "[[]]", '{"messages": []}', "\x00"]
)
def test_what_is_no_conversation(data: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(data)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            '[{"role": "user", "content": "a"},\n {"role": "user" "content": "b"}]',
            "line 2: this is not JSON: Expecting ',' delimiter",
        ),
        (
            '[{"role": "user", "content": "a"},\n\n {"role": "user", "con',
            "line 3: this is not JSON: Unterminated string",
        ),
        ('[{"role": "user", "content": "a"}\n\n', "line 3: this is not JSON: ',' or ']' is expected, not 'the end'"),
        ('[{"role": "user", "content": "a"}]\n]', "line 2: this is not JSON: the document has ended before"),
        (
            '{\n"messages": [{"role": "user", "content": "a"}]\n x',
            "line 3: this is not JSON: ',' or '}' is expected, not 'x'",
        ),
    ],
)
def test_malformed_documents_are_named_by_line(text: str, why: str) -> None:
    for data in (text, Source(OneByOne(text.encode()))):
        [(count, [flaw])] = flawed(data)
        assert count == 1
        assert flaw[: len(why)] == why


def test_what_is_not_utf8_is_named() -> None:
    good = json.dumps({"messages": [HELLO]}).encode()
    assert outcomes(good + b"\n" + b'{"messages": "\xff"}\n' + good) == [
        1,
        "line 2: this is not UTF-8: invalid start byte at byte 14",
        1,
    ]
    [(_, [message])] = read(b'[\n{"role": "user",\n "content": "caf\xe9"}]')
    assert message.content == "caf\ufffd"


@pytest.mark.parametrize(
    ("text", "said", "flaws"),
    [
        ("{0}{1}\n", ["0", "1"], 0),
        ('{0}\n{{"role": "us{1}\n', ["0", "1"], 1),
        ('{0}{{"role": "us\n{1}\n', ["0", "1"], 1),
        ("\0\0\0{0}\n\0\0{1}\0\0{2}\n", ["0", "1", "2"], 0),
        ('{0}\n{{"role": "us\0\0\0{1}\n', ["0", "1"], 1),
        ('ser", "content": "torn"}}\n{0}\n{1}\n', ["0", "1"], 1),
        # What is left of a torn record is none by itself.
        ('{0}\n{{"role": "user", "metadata": {{"content": "inside", "role": "user"}}\n{1}\n', ["0", "1"], 1),
    ],
)
def test_what_is_sound_on_a_torn_line_is_taken(text: str, said: list[str], flaws: int) -> None:
    given = text.format(*(json.dumps({"role": "user", "content": str(number)}) for number in range(3)))
    [(transcript, messages)] = read(given)
    assert [each.content for each in messages] == said
    assert len(transcript.flaws) == flaws


def test_records_have_a_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_RECORD_BYTES", 1_000_000)
    large = {"messages": [{"role": "user", "content": ["x" * 1_500_000]}]}
    text = "\n".join(json.dumps(each) for each in ({"messages": [HELLO]}, large, {"messages": [HELLO]}))
    assert outcomes(text) == [1, "line 2: it has more than 1,000,000 bytes", 1]
    [found] = flawed(json.dumps([HELLO, {"role": "user", "content": "x" * 3_000_000}]))
    assert found == (1, ["line 1: it has more than 1,000,000 bytes"])


def test_nesting_has_a_most() -> None:
    deep = "[" * 100_000
    assert "nested too deeply" in str(outcomes(json.dumps({"messages": [HELLO]}) + '\n{"messages": ' + deep)[1])
    with pytest.raises(InvalidInput):
        read(deep)


@settings(max_examples=30)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    ),
    st.integers(1, 9),
    st.sampled_from([None, 1]),
)
def test_items_are_what_the_whole_has(value: Any, size: int, indent: int | None) -> None:
    class Slow(io.BytesIO):
        def read(self, asked: int | None = -1) -> bytes:
            return super().read(size)

    items = [value, 12345, value]
    text = json.dumps(items, ensure_ascii=bool(size % 2), indent=indent, allow_nan=False)
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        return
    document = JsonDocument(Source(Slow(encoded)))
    assert [record.value for record in document.items()] == items
    document.end()
    document = JsonDocument(Source(Slow(json.dumps({"a": value, "b": items}, indent=indent).encode())))
    assert {key: document.value() for key in document.names()} == {"a": value, "b": items}


def test_lines_are_lines_wherever_a_chunk_ends() -> None:
    drawn = random.Random(5)
    records = [{"n": number, "x": "é" * drawn.randrange(400)} for number in range(200)]
    text = "\r\n\n".join(json.dumps(each, ensure_ascii=False) for each in records)
    found = list(json_lines(Source(OneByOne(text.encode()))))
    assert [each.value for each in found] == records
    assert [each.place for each in found[:3]] == ["line 1", "line 3", "line 5"]


def test_half_a_character_is_mended_in_what_others_wrote() -> None:
    [(_, messages)] = read('[{"role": "user", "content": "a\\ud83d", "name": "n"}]')
    assert messages[0].content == "a\ufffd"


@pytest.mark.parametrize("about", [{"created_at": "yesterday"}, {"title": "x" * 400_001}, {"id": "x" * 201}])
def test_what_stands_beside_the_messages_is_checked_too(about: dict[str, Any]) -> None:
    whole = {"messages": [HELLO], **about}
    for data in (whole, json.dumps(whole), json.dumps(whole, indent=1)):
        [reason] = outcomes(data)
        assert isinstance(reason, str)


@pytest.mark.parametrize("odd", [[], {}, ["user"], 7])
def test_a_list_where_a_word_should_be(odd: Any) -> None:
    line = {"type": "user", "uuid": "u" * 32, "sessionId": "s", "message": {"role": "user", "content": "x"}}
    chat = {"id": "c" * 32, "mapping": {"n" * 20: {"parent": odd, "message": None}}}
    for data in ([{"role": odd, "content": "x"}, HELLO], [{"type": odd, "data": {}}], [line, {**line, "type": odd}]):
        text = json.dumps(data[0]) + "\n" + json.dumps(data[-1])
        for one in (data, json.dumps(data), text):
            try:
                found = outcomes(one)
            except InvalidInput:
                continue
            assert found
    assert isinstance(outcomes([chat])[0], str)


def test_what_no_recursion_comes_to_the_end_of_costs_its_conversation_alone() -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    assert "nested too deeply" in str(outcomes([{**HELLO, "metadata": {"a": deep}}])[0])
