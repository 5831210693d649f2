"""Search by words in scripts that are written without spaces, wherever the texts are kept."""

from __future__ import annotations

from uuid import uuid4

import pytest

from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.graph.text import query_words, terms, text_words
from ragforge_memory.retrieval.excerpts import excerpt
from ragforge_memory.text.words import matched
from tests.persistence.conftest import Graph, Keeping

pytestmark = pytest.mark.anyio

SAID = (
    "データベース接続のタイムアウトは三十秒に設定されています。",
    "用户登录失败时,会话令牌会被立即撤销。",
    "The session token is revoked when a login fails.",
    "鍵",
    "설정 파일은 시작할 때 한 번만 읽습니다.",
)


QUERIES = {
    "接続の設定はどこですか": (0, "接続"),
    "タイムアウト": (0, "タイムアウト"),
    "会话令牌什么时候撤销?": (1, "令牌"),
    "鍵": (3, "鍵"),
    "설정": (4, "설정"),
}


@pytest.mark.parametrize("kind", ["neo4j", "files"])
async def test_found_by_words(kind: str, keeping: Keeping, graph: Graph) -> None:
    # Far apart in time, so that none lends to what stands beside it.
    messages = [
        {"role": "user", "content": text, "timestamp": f"2026-01-0{day}T12:00:00Z"} for day, text in enumerate(SAID, 1)
    ]
    async with keeping(kind) as agent:
        conversation = await agent.load_conversation((await agent.import_conversation(messages)).uuid)
        await agent.drain()
        graph.run("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
        for query, (at, by) in QUERIES.items():
            found = await conversation.search_history(query)
            assert [each.message.content for each in found if by in each.matched_words] == [SAID[at]], query


ACCENTS = (
    "We meet at the café by the harbour.",
    "The old cafe in the park is closed.",
    "Der Vertrag ist von Frau Müller.",
    "Muller signs the other one.",
    "A naïve estimate of the size.",
    "The re\u0301sume\u0301 of the talk.",
)


JOINED = (
    "The key auth:session holds them.",
    "Bind it to 192.168.44.17 alone.",
    "Python 3.11 is what we need.",
    "Ask O'Reilly first.",
    "The image is redis:alpine.",
    "A page has 50,000 rows.",
)

ASKED = {
    ACCENTS: {
        "cafe": (0, 1),
        "café": (0, 1),
        "CAFÉ": (0, 1),
        "Muller": (2, 3),
        "naive": (4,),
        "nai\u0308ve": (4,),
        "resume": (5,),
    },
    JOINED: {
        "session": (0,),
        "auth:session": (0,),
        "192.168.44.17": (1,),
        "3.11": (2,),
        "O'Reilly": (3,),
        "alpine": (4,),
        "50,000": (5,),
    },
}


@pytest.mark.parametrize("kind", ["neo4j", "files"])
@pytest.mark.parametrize("texts", ASKED, ids=["accents", "joined"])
async def test_words_are_found_at_once_and_later(
    kind: str, texts: tuple[str, ...], keeping: Keeping, graph: Graph
) -> None:
    """With and without accents, and what an analyzer leaves whole by its parts."""
    messages = [
        {"role": "user", "content": text, "timestamp": f"2026-01-0{day}T12:00:00Z"} for day, text in enumerate(texts, 1)
    ]
    async with keeping(kind) as agent:
        imported = await agent.import_conversation(messages)
        begun = await agent.create_conversation()
        for text in texts:
            said = NewMessage(uuid=uuid4().hex, role="user", content=text)
            await (await agent.open()).stores.messages.append(begun.uuid, said)
        for at_once in (True, False):
            for query, places in ASKED[texts].items():
                for conversation in (imported, begun):
                    found = await conversation.search_history(query)
                    told = {each.message.content for each in found if "text" in each.matched_by}
                    assert told == {texts[place] for place in places}, (query, at_once)
            graph.run("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
            graph.run("MATCH (c:Conversation {project: $project}) SET c.updated_at = datetime('2026-01-01T00:00:00Z')")


def test_what_has_no_accents_is_asked_for_as_before() -> None:
    assert query_words("the naive cafe_size of Muller") == ["the", "naive", "cafe_size", "cafe", "size", "of", "muller"]
    assert query_words("Café") == ["café", "cafe"]
    assert terms("a café, le CAFÉ; cafe\u0301") == "cafe"
    # Other letters are not these with a mark, nor is a mark alone a word.
    assert terms("Øre straße край ガ 각") == ""
    assert terms("parse_header") == "parse header"


def test_what_is_joined_by_a_sign_is_found_by_its_parts() -> None:
    assert terms("auth:session at 10.0.0.1, O’Reilly's") == "auth session 10 0 1 o reilly"
    # An analyzer parts these, and takes short forms for what they are.
    assert terms("port:8080 std::sort en-US x,y don't we're Ada's") == ""


def test_words_are_runs_and_pairs() -> None:
    assert query_words("graphの接続タイムアウト") == ["graph", "の接", "接続", "タイムアウト"]
    assert query_words("parse_header 鍵") == ["parse_header", "parse", "header", "鍵"]
    assert text_words("接続を") == ["接続", "続を", "接", "続", "を"]
    assert matched(["接続", "切断", "token"], "データベース接続の token") == ("接続", "token")


def test_an_excerpt_is_cut_around_them() -> None:
    text = "あ" * 300 + "接続が切れました。" + "い" * 300
    assert "接続が切れました" in excerpt(text, ["接続"], 100)
