"""What was ingested is found: by words, names, meaning and use, on both lines of servers, and only in its project."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.embeddings.port import Embedder, space_model
from ragforge_memory.errors import EmbeddingError, EmbeddingMismatch
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.scopes import ScopeStore
from ragforge_memory.graph.spaces import find_space, open_space
from ragforge_memory.ingest.embed import embed_waiting
from ragforge_memory.ingest.run import ingest
from ragforge_memory.text.words import content_words, stems_asked
from tests.ingest.conftest import Tree
from tests.neo4j_servers import LINES

pytestmark = pytest.mark.anyio

EMBEDDER = HashingEmbedder(64, model="hashing-64-for-ingest")


@pytest.fixture(params=LINES)
async def either(request: pytest.FixtureRequest) -> AsyncIterator[GraphClient]:
    """A graph of either line."""
    name = "neo4j_config" if request.param == "current" else "old_neo4j_config"
    config: Neo4jConfig = request.getfixturevalue(name)
    opened = await connect(config)
    yield opened
    await opened.aclose()


@pytest.fixture
async def twins(either: GraphClient, tree: Tree, project: str) -> tuple[GraphClient, str, str]:
    """The same code as two projects."""
    await ingest(either, tree.root, project=project)
    await ingest(either, tree.root, project=f"{project}-twin")
    await either.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    return either, project, f"{project}-twin"


def names(found: list[Any]) -> list[str]:
    return [each.qualified_name for each in found]


async def embed_scopes(client: GraphClient, project: str, embedder: Embedder, **given: Any) -> int:
    """Embeds what waits, in the embedder's space."""
    space = await open_space(client, project, space_model(embedder), embedder.dimension)
    return await embed_waiting(ScopeStore(client, space), project, embedder, **given)


async def found(store: ScopeStore, project: str, question: str, **given: Any) -> list[str]:
    """What has words of a question: definitions by their names, files by their paths."""
    asked = stems_asked(content_words(question))
    hits = await store.search_words(project, [each for stems in asked.values() for each in stems], **given)
    return names([each.scope for each in await store.own_texts(project, [hit.uuid for hit in hits])])


async def test_by_words(twins: tuple[GraphClient, str, str]) -> None:
    client, project, _ = twins
    store = ScopeStore(client)

    assert (await found(store, project, "which one is Discounted?"))[0] == "Discounted"
    assert "Cart.sum" in (await found(store, project, "the sum of all prices"))[:3]
    assert await found(store, project, 'cart AND "( OR ~^* NOT add') != []
    assert await found(store, project, "quetzalcoatl") == []
    assert await found(store, project, "+-?!") == []
    assert len(await found(store, project, "price", limit=3)) == 3
    hits = await store.search_words(project, ["price"])
    assert all("price" in hit.words.split() and not hit.aside for hit in hits)
    assert {hit.unjudged for hit in hits} == {True, False}  # definitions wait for a vector, files have none


async def test_how_many_have_a_word_is_counted_up_to_a_bound(twins: tuple[GraphClient, str, str]) -> None:
    client, project, twin = twins
    store = ScopeStore(client)
    counted = await store.count_words(project, ["price", "discount", "quetzalcoatl"])
    assert counted["quetzalcoatl"] == 0 < counted["discount"] < counted["price"]
    assert await store.count_words(twin, ["price", "discount", "quetzalcoatl"]) == counted
    assert await store.count_words(project, ["price"], most=1) == {"price": 1}
    assert await store.count_words(project, ["price"], aside=True) == {"price": 0}
    assert await store.count_words(f"{project}-nobody", ["price"]) == {"price": 0}


async def test_a_name_with_all_the_words_is_before_many_that_are_one_of_them(
    either: GraphClient, tree: Tree, project: str
) -> None:
    for number in range(60):
        tree.write(f"checks/part_{number}.py", f"class Service{number % 2 or ''}: ...\n")
    tree.write("shop/api.py", "class Shop:\n    def validate_service_interface(self, given):\n        return given\n")
    await ingest(either, tree.root, project=project)
    await either.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    for question in ("Shop validate the service interface", "validateServiceInterface of Shop"):
        names_ = await found(ScopeStore(either), project, question, limit=5)
        assert names_[0] == "Shop.validate_service_interface"


async def test_own_text_is_without_what_is_inside_and_goes_with_its_file(
    client: GraphClient, tree: Tree, project: str
) -> None:
    inside = "    size = 1\n\n    def inner(self):\n        return 2\n\n    last = 9\n"
    tree.write("shop/deep.py", f"import os\n\n# No zeppelins\nos.umask(0)\n\n\nclass Outer:\n{inside}")
    await ingest(client, tree.root, project=project)
    await client.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    store = ScopeStore(client)
    [outer] = await store.by_name(project, "Outer")
    [own] = await store.own_texts(project, [outer.uuid])
    assert [number for number, _ in own.lines] == [7, 8, 9, 12, 13]
    [hit] = await store.search_words(project, ["zeppelin"])
    [file] = await store.own_texts(project, [hit.uuid])
    assert (file.scope.type, file.scope.qualified_name) == ("file", "shop/deep.py")
    assert file.lines == ((1, "import os"), (2, ""), (3, "# No zeppelins"), (4, "os.umask(0)"))
    assert await store.own_texts(f"{project}-nobody", [hit.uuid, outer.uuid]) == []

    (tree.root / "shop/deep.py").unlink()
    await ingest(client, tree.root, project=project)
    await client.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    assert await store.search_words(project, ["zeppelin"]) == []


async def test_by_name_uuid_file_and_use(twins: tuple[GraphClient, str, str]) -> None:
    client, project, _ = twins
    store = ScopeStore(client)

    (total,) = await store.by_name(project, "total")
    assert (total.file, total.definition_line, total.source) == ("shop/prices.py", 22, None)
    assert names(await store.by_name(project, "Cart.add")) == ["Cart.add"]
    assert await store.by_name(project, "TOTAL") == []
    (read,) = await store.by_uuid(project, [total.uuid, "nobody"])
    assert read.source is not None
    assert read.source.startswith("def total(prices):")
    (bare,) = await store.by_uuid(project, [total.uuid], source=False)
    assert bare == read.model_copy(update={"source": None})
    assert names(await store.outline(project, "shop/cart.py")) == ["Cart", "Cart.__init__", "Cart.add", "Cart.sum"]
    assert await store.files(project) == ["shop/__init__.py", "shop/cart.py", "shop/prices.py"]
    assert [(use.scope.qualified_name, use.lines) for use in await store.callers(project, total.uuid)] == [
        ("Cart.sum", (16,))
    ]
    assert names([use.scope for use in await store.callees(project, total.uuid)]) == ["vat"]
    assert {name.qualified_name for name in await store.names(project)} >= {"Cart", "Cart.add", "total"}
    assert (await store.counts(project))[:3:2] == (10, 3)


async def test_by_meaning_once_embedded(twins: tuple[GraphClient, str, str]) -> None:
    client, project, twin = twins
    vector = await EMBEDDER.embed_query("def total(prices)")
    assert await embed_scopes(client, project, EMBEDDER) == 10
    assert await embed_scopes(client, project, EMBEDDER) == 0
    store = ScopeStore(client, await find_space(client, project))

    found = await store.search_vector(project, vector, limit=4)

    assert (found[0].qualified_name, len(found)) == ("total", 4)
    assert all(-1 <= (each.score or 0) <= 1 for each in found)
    assert await store.search_vector(twin, vector) == []
    assert (await store.counts(project)).embedded == 10
    with pytest.raises(EmbeddingMismatch):
        await store.search_vector(project, [1.0, 0.0])


async def test_another_project_s_scopes_are_not_there(twins: tuple[GraphClient, str, str]) -> None:
    client, project, twin = twins
    store = ScopeStore(client)
    (total,) = await store.by_name(twin, "total")

    assert await store.by_uuid(project, [total.uuid]) == []
    assert await store.callers(project, total.uuid) == []
    assert await store.callees(project, total.uuid) == []
    ours = {each.uuid for each in await store.names(project)}
    assert not ours & {each.uuid for each in await store.names(twin)}
    hits = await store.search_words(project, ["price", "total", "cart"], limit=50)
    assert {each.uuid for each in hits} & ours
    assert not {each.uuid for each in hits} & {each.uuid for each in await store.names(twin)}
    nobody = f"{project}-nobody"
    assert await store.search_words(nobody, ["total"]) == []
    assert (await store.by_name(nobody, "total"), await store.outline(nobody, "shop/cart.py")) == ([], [])
    assert (await store.files(nobody), await store.names(nobody)) == ([], [])
    assert await store.counts(nobody) == (0, 0, 0, ())


async def test_names_are_read_again_after_a_change(client: GraphClient, tree: Tree, project: str) -> None:
    store = ScopeStore(client)
    await ingest(client, tree.root, project=project)
    before = await store.names(project)
    assert await store.names(project) is before

    tree.edit("shop/prices.py", "def total", "def grand_total")
    await ingest(client, tree.root, project=project)

    assert "grand_total" in {each.name for each in await store.names(project)}


async def test_the_most_used_are_embedded_first_and_it_can_be_stopped(
    client: GraphClient, tree: Tree, project: str, cypher: Callable[..., list[dict[str, Any]]]
) -> None:
    await ingest(client, tree.root, project=project)
    waiting = "MATCH (s:Scope:PendingEmbedding {project: $p}) RETURN s.qualified_name AS q ORDER BY q"

    assert await embed_scopes(client, project, EMBEDDER, stop=lambda: True) == 0
    assert await embed_scopes(client, project, EMBEDDER, limit=1) == 1

    assert "vat" not in [row["q"] for row in cypher(waiting, p=project)]
    assert await embed_scopes(client, project, EMBEDDER) == 9
    tree.edit("shop/prices.py", "def total(prices)", "def total(prices, more)")
    tree.edit("shop/prices.py", "amount // 5", "amount // 4")
    await ingest(client, tree.root, project=project)
    assert cypher(waiting, p=project) == [{"q": "total"}, {"q": "vat"}]


async def test_a_scope_that_cannot_be_embedded_waits_no_longer_after_three_times(
    client: GraphClient, tree: Tree, project: str, cypher: Callable[..., list[dict[str, Any]]]
) -> None:
    class Refusing(HashingEmbedder):
        async def embed_passages(self, texts: Any) -> Any:
            if any(text.startswith("vat") for text in texts):
                raise EmbeddingError("no")
            return await super().embed_passages(texts)

    await ingest(client, tree.root, project=project)
    for _ in range(3):
        with pytest.raises(EmbeddingError):
            await embed_scopes(client, project, Refusing(64, model="hashing-64-for-ingest"))

    assert await embed_scopes(client, project, EMBEDDER) == 0
    failed = cypher("MATCH (s:Scope:FailedEmbedding {project: $p}) RETURN s.name AS name", p=project)
    assert failed == [{"name": "vat"}]  # what was read with it has its vector


async def test_scopes_outwait_a_model_that_is_away(
    client: GraphClient, tree: Tree, project: str, cypher: Callable[..., list[dict[str, Any]]]
) -> None:
    class Away(HashingEmbedder):
        async def embed_passages(self, texts: Any) -> Any:
            raise EmbeddingError("connection refused")

    await ingest(client, tree.root, project=project)
    for _ in range(4):
        with pytest.raises(EmbeddingError):
            await embed_scopes(client, project, Away(64, model="hashing-64-for-ingest"))

    assert await embed_scopes(client, project, EMBEDDER) == 10


async def test_a_vector_of_a_text_that_changed_meanwhile_is_not_kept(
    client: GraphClient, tree: Tree, project: str, cypher: Callable[..., list[dict[str, Any]]]
) -> None:
    class Editing(HashingEmbedder):
        async def embed_passages(self, texts: Any) -> Any:
            if "total" in "".join(texts) and "more" not in (tree.root / "shop/prices.py").read_text():
                tree.edit("shop/prices.py", "def total(prices)", "def total(prices, more)")
                await ingest(client, tree.root, project=project)
            return await super().embed_passages(texts)

    await ingest(client, tree.root, project=project)
    looks = iter([False, True])
    assert (
        await embed_scopes(client, project, Editing(64, model="hashing-64-for-ingest"), stop=lambda: next(looks)) == 9
    )

    waiting = cypher("MATCH (s:Scope:PendingEmbedding {project: $p}) RETURN s.name AS name", p=project)
    assert waiting == [{"name": "total"}]
