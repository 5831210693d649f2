"""Search by words in scripts that are written without spaces, wherever the texts are kept."""

from __future__ import annotations

import pytest

from ragforge_memory.graph.text import query_words, text_words
from ragforge_memory.retrieval.excerpts import excerpt
from ragforge_memory.retrieval.words import matched
from tests.persistence.conftest import Keeping

pytestmark = pytest.mark.anyio

SAID = (
    "データベース接続のタイムアウトは三十秒に設定されています。",
    "用户登录失败时,会话令牌会被立即撤销。",
    "The session token is revoked when a login fails.",
    "鍵",
    "설정 파일은 시작할 때 한 번만 읽습니다.",
)


@pytest.mark.parametrize("kind", ["neo4j", "files"])
@pytest.mark.parametrize(
    ("query", "at", "by"),
    [
        ("接続の設定はどこですか", 0, "接続"),
        ("タイムアウト", 0, "タイムアウト"),
        ("会话令牌什么时候撤销?", 1, "令牌"),
        ("令牌", 1, "令牌"),
        ("鍵", 3, "鍵"),
        ("설정", 4, "설정"),
    ],
)
async def test_found_by_words(kind: str, query: str, at: int, by: str, keeping: Keeping) -> None:
    # Far apart in time, so that none lends to what stands beside it.
    messages = [
        {"role": "user", "content": text, "timestamp": f"2026-01-0{day}T12:00:00Z"} for day, text in enumerate(SAID, 1)
    ]
    async with keeping(kind) as agent:
        conversation = await agent.load_conversation((await agent.import_conversation(messages)).uuid)
        at_once = await conversation.search_history(query)
        await agent.drain()
        for found in (at_once, await conversation.search_history(query)):
            assert [each.message.content for each in found if by in each.matched_words] == [SAID[at]]


def test_words_are_runs_and_pairs() -> None:
    assert query_words("graphの接続タイムアウト") == ["graph", "の接", "接続", "タイムアウト"]
    assert query_words("parse_header 鍵") == ["parse_header", "parse", "header", "鍵"]
    assert text_words("接続を") == ["接続", "続を", "接", "続", "を"]
    assert matched(["接続", "切断", "token"], "データベース接続の token") == ("接続", "token")


def test_an_excerpt_is_cut_around_them() -> None:
    text = "あ" * 300 + "接続が切れました。" + "い" * 300
    assert "接続が切れました" in excerpt(text, ["接続"], 100)
