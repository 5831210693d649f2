"""The knowledge base: what is on disk against what is in the graph, whose it is, and how it is found."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, InvalidInput, KnowledgeHit, NotFound, SearchResults
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio

_SETTLE = "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()"
_CHUNKS = "MATCH (d:Document)-[:HAS_CHUNK]->(c:Chunk) WHERE d.project = $project RETURN c.uuid AS uuid ORDER BY uuid"


async def found(agent: AsyncConversationAgent, cypher: Cypher, query: str, **more: Any) -> SearchResults[KnowledgeHit]:
    """What a search finds once all text is visible."""
    cypher(_SETTLE)
    return await agent.knowledge.search(query, **more)


async def test_a_folder_is_read_and_found(make_agent: MakeAgent, cypher: Cypher, documents: Path) -> None:
    told: list[tuple[int, int]] = []
    async with make_agent(root=documents.parent) as agent:
        report = await agent.knowledge.ingest(documents, progress=lambda done, of: told.append((done, of)))
        assert (report.documents, report.chunks, report.added, report.removed) == (4, 6, 4, 0)
        assert [(each.source, each.reason) for each in report.skipped] == [("docs/faq.jsonl, line 2", "not JSON")]
        assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
        page = await agent.knowledge.list()
        assert [(each.source, each.title, each.format, each.chunks, each.shared) for each in page] == [
            ("docs/faq.jsonl", "faq", "jsonl", 1, False),
            ("docs/returns.md", "Returns", "markdown", 2, False),
            ("docs/shop/handbook.docx", "Handbook", "docx", 1, False),
            ("docs/shop/terms.pdf", "Terms", "pdf", 2, False),
        ]
        for query, source, heading, position in (
            ("How soon are refunds paid?", "docs/returns.md", "Returns", "line 3"),
            ("who pays the parcel", "docs/returns.md", "Returns > Costs", "line 7"),
            ("warranty", "docs/shop/terms.pdf", "Terms", "page 2"),
            ("days of holidays", "docs/shop/handbook.docx", "Handbook > Holidays", ""),
            ("hotline", "docs/faq.jsonl", "faq > Help", "line 1"),
        ):
            hit = (await found(agent, cypher, query))[0]
            assert (hit.source, hit.heading, hit.position) == (source, heading, position)
        results = await agent.knowledge.search("refunds", 1)
        assert (len(results), results.answered, results.missed) == (1, ("text",), ("meaning",))
        assert await found(agent, cypher, "zeppelin") == []


async def test_only_what_has_changed_is_read_again(
    make_agent: MakeAgent, cypher: Cypher, documents: Path, owner: Owner
) -> None:
    async with make_agent(root=documents.parent) as agent:
        await agent.knowledge.ingest(documents)
        before = cypher(_CHUNKS, project=owner.project)
        again = await agent.knowledge.ingest(documents)
        assert (again.documents, again.chunks, again.unchanged, again.added + again.updated) == (4, 6, 4, 0)
        assert (await agent.knowledge.ingest(documents, full=True)).updated == 4
        assert cypher(_CHUNKS, project=owner.project) == before

        text = (documents / "returns.md").read_text()
        (documents / "returns.md").write_text(f"{text} Within the EU.")
        (documents / "faq.jsonl").unlink()
        changed = await agent.knowledge.ingest(documents)
        assert (changed.updated, changed.unchanged, changed.removed, changed.chunks) == (1, 2, 1, 5)
        after = cypher(_CHUNKS, project=owner.project)
        # What says the same is the same chunk, and keeps its vector.
        assert len({row["uuid"] for row in before} - {row["uuid"] for row in after}) == 2
        assert len({row["uuid"] for row in after} - {row["uuid"] for row in before}) == 1
        assert [each.source for each in await found(agent, cypher, "hotline")] == []
        assert "Within the EU" in (await found(agent, cypher, "parcel"))[0].content


async def test_only_what_is_below_the_folder_and_was_a_file_goes(make_agent: MakeAgent, documents: Path) -> None:
    async with make_agent(root=documents.parent) as agent:
        await agent.knowledge.ingest(documents)
        await agent.knowledge.add("docs/shop/note.md", "Said on the phone.")
        (documents / "returns.md").unlink()
        (documents / "shop" / "terms.pdf").unlink()
        assert (await agent.knowledge.ingest(documents / "shop")).removed == 1
        assert [each.source for each in await agent.knowledge.list()] == [
            "docs/faq.jsonl",
            "docs/returns.md",
            "docs/shop/handbook.docx",
            "docs/shop/note.md",
        ]
        assert (await agent.knowledge.ingest(documents.parent)).removed == 1


async def test_what_cannot_be_read_is_named_and_what_is_hidden_left_out(make_agent: MakeAgent, documents: Path) -> None:
    (documents / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (documents / "empty.md").write_text("")
    (documents / ".hidden.md").write_text("hidden")
    (documents / "built").mkdir()
    (documents / "built" / "a.md").write_text("built")
    (documents / ".gitignore").write_text("built/\n")
    (documents / "logo.png").write_bytes(b"\0")
    async with make_agent(root=documents.parent) as agent:
        report = await agent.knowledge.ingest(documents)
        assert [each.source for each in report.skipped] == ["docs/broken.pdf", "docs/faq.jsonl, line 2"]
        assert (report.documents, report.chunks) == (5, 6)


async def test_documents_without_a_file(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent() as agent:
        assert (await agent.knowledge.add("opening.md", "# Hours\n\nWe open at nine.")).added == 1
        assert (await agent.knowledge.add("opening.md", b"# Hours\n\nWe open at nine.")).unchanged == 1
        assert (await agent.knowledge.add("opening.md", "# Hours\n\nWe open at ten.")).updated == 1
        await agent.knowledge.add("copy.txt", "We open at ten.")  # what says the same is shown once
        [hit] = await found(agent, cypher, "when do you open")
        assert (hit.content, hit.source, hit.place) == ("We open at ten.", "opening.md", "Hours, line 3")
        for name, content, problem in (
            ("a.pdf", "text", "a broken PDF"),
            (" ", "text", "a document's name"),
            ("a.md", 7, "text or bytes"),
        ):
            with pytest.raises(InvalidInput, match=problem):
                await agent.knowledge.add(name, content)  # type: ignore[arg-type]


async def test_pages_and_removal(make_agent: MakeAgent, cypher: Cypher, owner: Owner) -> None:
    async with make_agent() as agent:
        for name in ("b/2.md", "a.md", "b/1.md", "bb.md"):
            await agent.knowledge.add(name, f"About {name}")
        first = await agent.knowledge.list(3)
        second = await agent.knowledge.list(3, first.next_cursor)
        assert [each.source for each in (*first, *second)] == ["a.md", "b/1.md", "b/2.md", "bb.md"]
        assert second.next_cursor is None
        assert await agent.knowledge.remove("b") == 2
        assert await agent.knowledge.remove(first.items[0].uuid[:8]) == 1
        assert [each.source for each in await agent.knowledge.list()] == ["bb.md"]
        assert len(cypher(_CHUNKS, project=owner.project)) == 1
        with pytest.raises(NotFound, match="there is no document 'b'"):
            await agent.knowledge.remove("b")
        with pytest.raises(InvalidInput, match="not one of ours"):
            await agent.knowledge.list(3, "nonsense")


async def test_whose_a_document_is(make_agent: MakeAgent, cypher: Cypher, owner: Owner) -> None:
    other = f"{owner.user_id}-2"
    async with make_agent() as mine, make_agent(user_id=other) as theirs, make_agent(project="else") as elsewhere:
        await mine.knowledge.add("mine.md", "The cellar key hangs behind the door.")
        await theirs.knowledge.add("ours.md", "The cellar key hangs in the office.", shared=True)
        assert sorted(each.source for each in await found(mine, cypher, "cellar key")) == ["mine.md", "ours.md"]
        assert [each.source for each in await found(theirs, cypher, "cellar key")] == ["ours.md"]
        assert await found(elsewhere, cypher, "cellar key") == []
        assert [each.shared for each in await mine.knowledge.list()] == [False, True]
        with pytest.raises(NotFound):
            await theirs.knowledge.remove("mine.md")


async def test_erasing_a_user_takes_the_documents_along(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent() as agent:
        await agent.knowledge.add("mine.md", "# A\n\none\n\n# B\n\ntwo")
        await agent.knowledge.add("ours.md", "three", shared=True)
        erasure = await agent.erase_user()
        assert (erasure.counts["Document"], erasure.counts["Chunk"]) == (1, 2)
        assert [each.source for each in await agent.knowledge.list()] == ["ours.md"]
        assert len(await found(agent, cypher, "one two three")) == 1


async def test_two_that_read_one_folder_at_once(
    make_agent: MakeAgent, cypher: Cypher, documents: Path, owner: Owner
) -> None:
    async with make_agent(root=documents.parent) as one, make_agent(root=documents.parent) as other:
        bases = [agent.knowledge for agent in (one, other) for _ in range(3)]
        await asyncio.gather(*(base.ingest(documents, full=True) for base in bases))
        assert len(cypher(_CHUNKS, project=owner.project)) == 6
        assert len((await one.knowledge.list()).items) == 4


async def test_meaning_finds_what_words_do_not(make_agent: MakeAgent, cypher: Cypher, owner: Owner) -> None:
    embedder = HashingEmbedder(64, model="words-of-documents")
    async with make_agent(embedder=embedder, settings={"embed_messages": True}) as agent:
        await agent.knowledge.add("a.md", "# Parking\n\nCars stand in the yard.\n\n# Meals\n\nBread is baked at six.")
        assert await agent.drain() == {}
        results = await found(agent, cypher, "cars in the yard")
        assert results.answered == ("text", "meaning")
        assert results[0].heading == "a > Parking"
        assert results[0].similarity is not None
        # It has none of the words: only its vector stands behind it.
        assert results[1].content == "Bread is baked at six."
        report = await agent.reembed(HashingEmbedder(48, model="words-of-documents-2"))
        assert (report.chunks, report.failed) == (2, 0)
        assert (await found(agent, cypher, "cars in the yard")).answered == ("text", "meaning")
        left = "MATCH (c:PendingEmbedding|PendingReembedding) WHERE c.project = $project RETURN count(c) AS left"
        assert cypher(left, project=owner.project) == [{"left": 0}]


@pytest.mark.parametrize(
    ("work", "problem"),
    [
        (lambda knowledge: knowledge.ingest("/nowhere/at/all"), "there is no file or folder"),
        (lambda knowledge: knowledge.ingest("/"), "no documents are read"),
        (lambda knowledge: knowledge.ingest(".", shared="no"), "shared is True or False"),
        (lambda knowledge: knowledge.search(" "), "the query is empty"),
        (lambda knowledge: knowledge.search("x", 0), "limit is a whole number"),
    ],
)
async def test_bad_input_is_refused(make_agent: MakeAgent, work: Any, problem: str) -> None:
    async with make_agent() as agent:
        with pytest.raises(InvalidInput, match=problem):
            await work(agent.knowledge)


async def test_without_memory_there_are_no_documents(make_agent: MakeAgent) -> None:
    async with make_agent(settings={"enable_memory": False}) as agent:
        with pytest.raises(InvalidInput, match="there are no documents"):
            await agent.knowledge.list()


async def test_secrets_stay_out(make_agent: MakeAgent, cypher: Cypher) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    async with make_agent() as agent:
        await agent.knowledge.add("a.md", f"The deploy token is {secret} for now.")
        [hit] = await found(agent, cypher, "deploy token")
        assert secret not in hit.content
