"""The provider alone: what only lines of Rust say, that a trait is implemented for a type."""

from __future__ import annotations

from typing import Any

import pytest

from tests.extractive.asking import ECHO, answer_to, found

pytestmark = pytest.mark.anyio

TRAIT = {**ECHO, "name": "Bytes", "qualified_name": "Bytes", "type": "trait", "file": "src/ext.rs", "line": 9}
TYPE = {**TRAIT, "name": "Text", "qualified_name": "Text", "type": "struct", "file": "src/text.rs", "line": 3}


def lines(*texts: str) -> dict[str, Any]:
    return {"matches": [{"file": "src/ext.rs", "line": at, "text": text} for at, text in enumerate(texts, 70)]}


async def test_a_trait_may_be_implemented_for_what_is_no_definition() -> None:
    given = lines("impl Bytes for [u8] {", "// impl Bytes for str {", "impl<B: Read> Bytes for B {}")
    alone = await answer_to("what implements Bytes?", {"find_callers": found(TRAIT), "grep_code": given})
    assert alone.splitlines() == [
        "`Bytes` (src/ext.rs, line 9) is implemented in 2 lines:",
        "- src/ext.rs:70 `impl Bytes for [u8] {`",
        "- src/ext.rs:72 `impl<B: Read> Bytes for B {}`",
    ]
    below = [{**TYPE, "lines": [72]}]
    some = found({**TRAIT, "subclasses": below})
    assert (await answer_to("what implements Bytes?", {"find_callers": some, "grep_code": given})).splitlines() == [
        "`Bytes` (src/ext.rs, line 9) is implemented by 1 scope:",
        "- `Text` - src/text.rs:72",
        "",
        "It is implemented in 2 lines too:",
        "- src/ext.rs:70 `impl Bytes for [u8] {`",
        "- src/ext.rs:72 `impl<B: Read> Bytes for B {}`",
    ]
    told = found({**TRAIT, "subclasses": [{**below[0], "file": "src/ext.rs"}]})
    assert "ext.rs:72 `" not in await answer_to("what implements Bytes?", {"find_callers": told, "grep_code": given})


async def test_a_trait_below_a_trait_does_not_implement_it() -> None:
    below = found({**TRAIT, "subclasses": [{**TRAIT, "qualified_name": "More", "line": 30, "lines": [30]}]})
    answer = await answer_to("what implements Bytes?", {"find_callers": below, "grep_code": lines()})
    assert answer.startswith("`Bytes` (src/ext.rs, line 9) is inherited by 1 scope:")


async def test_what_a_type_implements() -> None:
    given = lines("impl Debug for Text {")
    answer = await answer_to("what does Text implement?", {"find_callees": found(TYPE), "grep_code": given})
    assert answer.startswith(
        "Implemented for `Text` (src/text.rs, line 3) in 1 line:\n- src/ext.rs:70 `impl Debug for Text {`"
    )


async def test_a_trait_of_a_library_is_not_what_has_its_letters() -> None:
    method = {**TRAIT, "name": "debug", "qualified_name": "Text.debug", "type": "method"}
    value = {**found(method), "match": "spelling"}
    given = lines("#[derive(Clone, Debug)]", "impl<C> fmt::Debug for Quoted<C>")
    answer = await answer_to("what implements Debug?", {"find_callers": value, "grep_code": given})
    assert answer.splitlines() == [
        "`Debug` is implemented in 2 lines:",
        "- src/ext.rs:70 `#[derive(Clone, Debug)]`",
        "- src/ext.rs:71 `impl<C> fmt::Debug for Quoted<C>`",
    ]
    # A name in another case is the project's own, where the text knows none that is written so.
    given = lines("impl Bytes for [u8] {")
    value = {**found(TRAIT), "match": "spelling"}
    answer = await answer_to("what implements bytes?", {"find_callers": value, "grep_code": given})
    assert answer.splitlines()[:2] == [
        "`Bytes` (src/ext.rs, line 9) is implemented in 1 line:",
        "- src/ext.rs:70 `impl Bytes for [u8] {`",
    ]


async def test_a_trait_for_a_type() -> None:
    given = {"find_callers": found(TYPE), "grep_code": lines("impl From<Vec<u8>> for Text {")}
    assert (await answer_to("what implements From for Text?", given)).splitlines() == [
        "`From` is implemented for `Text` in 1 line:",
        "- src/ext.rs:70 `impl From<Vec<u8>> for Text {`",
    ]
