"""`agent.memory`: what a user sees of what is remembered, adds, forgets and takes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationAgent, Fact, InvalidInput, NotFound
from ragforge_memory.graph.added_memories import AddedMemoryStore
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.memory.added import undo_message
from tests.agent.conftest import Cypher, MakeAgent
from tests.memory.test_recall import PATIENT

pytestmark = pytest.mark.anyio


async def test_what_was_added_is_listed_found_forgotten_and_back(make_agent: MakeAgent) -> None:
    model = ScriptedProvider(["Tabs."] * 2)
    async with make_agent(provider=model, settings=PATIENT) as agent:
        memory = agent.memory
        assert (await memory.list()).items == ()
        tabs = await memory.add("We indent with tabs.", "rule")
        assert (tabs.kind, tabs.content, tabs.trust, tabs.source) == ("rule", "We indent with tabs.", "user", "added")
        todo = await memory.add("Write the  migration\nof the prices", "todo")
        assert todo.content == "Write the migration of the prices"
        # It says the same with the same words.
        assert (await memory.add("we indent with tabs")).uuid == tabs.uuid
        assert [each.uuid for each in await memory.list()] == [todo.uuid, tabs.uuid]
        first = await memory.list(limit=1)
        assert [each.uuid for each in await memory.list(limit=1, cursor=first.next_cursor)] == [tabs.uuid]
        assert [each.uuid for each in await memory.list(kinds=["rule"])] == [tabs.uuid]
        # A rule that has nothing to do with the question stands in prompts, and is not what was looked for.
        [hit] = await memory.search("the migration")
        assert (hit.memory.uuid, "text" in hit.tiers) == (todo.uuid, True)
        assert [each.memory.uuid for each in await memory.search("Which tabs?")] == [tabs.uuid]
        await (await agent.create_conversation()).send_message("How do I write it?")
        assert "We indent with tabs." in model.requests[-1].system

        gone = await memory.forget(tabs.uuid[:12], "we use a formatter")
        assert (gone.uuid, gone.is_active, gone.archived_at is None) == (tabs.uuid, False, False)
        assert [each.uuid for each in await memory.list()] == [todo.uuid]
        assert len(await memory.list(include_inactive=True)) == 2
        await (await agent.create_conversation()).send_message("How do I write it?")
        assert "We indent with tabs." not in model.requests[-1].system
        back = await memory.restore(tabs.uuid)
        assert (back.is_active, back.archived_at) == (True, None)
        assert [each.reason for each in await memory.history(tabs.uuid)] == ["forget", "restore"]
        assert [each.memory.uuid for each in (await agent.recall("anything", deadline_ms=10_000)).items] == [tabs.uuid]
        with pytest.raises(InvalidInput, match="it holds already"):
            await memory.restore(tabs.uuid)


async def test_the_same_words_in_another_order_take_the_place(make_agent: MakeAgent) -> None:
    async with make_agent(settings=PATIENT) as agent:
        memory = agent.memory
        before = await memory.add("We prefer tabs over spaces")
        now = await memory.add("We prefer spaces over tabs")
        assert [each.uuid for each in await memory.list()] == [now.uuid]
        [older] = await memory.history(now.uuid)
        assert (older.old_value, older.reason) == ("We prefer tabs over spaces", "corrects")
        with pytest.raises(InvalidInput, match='"We prefer spaces over tabs" holds in its place'):
            await memory.restore(before.uuid)
        await memory.forget(now.uuid)
        await memory.restore(before.uuid)
        assert [each.content for each in await memory.list()] == ["We prefer tabs over spaces"]


@pytest.mark.parametrize(
    ("text", "kind", "problem"),
    [
        ("Do we indent with tabs?", "note", "a question is not remembered"),
        ("password: hunter2-Xy7!kQ", "note", "a secret"),
        (" ", "note", "nothing to remember"),
        ("x" * 2_001, "note", "at most 2,000 characters"),
        ("Lviv", "fact", "'fact' cannot be added"),
    ],
)
async def test_what_cannot_be_added(make_agent: MakeAgent, text: str, kind: str, problem: str) -> None:
    async with make_agent() as agent:
        with pytest.raises(InvalidInput, match=problem):
            await agent.memory.add(text, kind)  # type: ignore[arg-type]
        assert len(await agent.memory.list(include_inactive=True)) == 0


async def test_what_was_added_is_about_the_code_that_it_names(
    make_agent: MakeAgent, project: Path, cypher: Cypher
) -> None:
    async with make_agent(root=project, settings=PATIENT) as agent:
        await agent.ingest()
        added = await agent.memory.add("The Client class retries nothing.", "decision")
        [code] = added.code
        assert (code.qualified_name, code.file, code.start_line) == ("Client", "client.py", 1)
        assert added.code_label == "its code is as it was"
        # Its caller is named alone.
        [hit] = await agent.memory.search("What must I know before I change fetch_all?")
        assert (hit.memory.uuid, hit.tiers) == (added.uuid, ("code",))
        code_ = (project / "client.py").read_text()
        (project / "client.py").write_text(code_.replace("(request)", "(request, retries=3)", 1))
        await agent.ingest()
        assert (await agent.memory.get(added.uuid)).code_label == "its code has changed since"
        # Said of the same code in a conversation, it is one anchor.
        assert (await agent.memory.add("We close `Client` by hand.")).code[0].status == "fresh"


async def test_facts_as_models(make_agent: MakeAgent) -> None:
    async with make_agent(settings=PATIENT) as agent:
        memory = agent.memory
        kyiv = await memory.remember_fact("personal", "location", "Київ")
        assert isinstance(kyiv, Fact)
        assert (kyiv.type, kyiv.key, kyiv.value, kyiv.confidence) == ("personal", "location", "Київ", 1.0)
        lviv = await memory.update_fact(kyiv.uuid[:10], "Львів")
        assert (lviv.uuid, lviv.value) == (kyiv.uuid, "Львів")
        assert [each.value for each in await memory.recall_facts("location")] == ["Львів"]
        gone = await memory.forget_fact(kyiv.uuid, "moved on")
        assert not gone.is_active
        assert await memory.recall_facts() == []
        assert [each.value for each in await memory.recall_facts(include_inactive=True)] == ["Львів"]
        assert [each.reason for each in await memory.history(kyiv.uuid)] == ["update", "forget"]
        note = await memory.add("We log nothing")
        with pytest.raises(NotFound, match="is not a fact"):
            await memory.forget_fact(note.uuid)


async def test_what_is_not_there_or_not_one_is_said(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        memory = agent.memory
        for call in (memory.get, memory.history, memory.forget, memory.restore):
            with pytest.raises(NotFound, match="there is no memory 'nothing'"):
                await call("nothing")
        with pytest.raises(NotFound, match="there is no memory ''"):
            await memory.get("")
        for number in range(17):
            await memory.add(f"lamp {number}")
        found = (await memory.list()).items
        first = next(each for each in found if sum(one.uuid[0] == each.uuid[0] for one in found) > 1)
        with pytest.raises(InvalidInput, match="several memories begin with"):
            await memory.get(first.uuid[0])
        with pytest.raises(InvalidInput, match="there is no kind 'lamp'"):
            await memory.list(kinds=["lamp"])  # type: ignore[list-item]
    async with make_agent(settings={"enable_memory": False}) as agent:
        with pytest.raises(InvalidInput, match="memory is off"):
            await agent.memory.list()
        with pytest.raises(InvalidInput, match="memory is off"):
            await agent.memory.add("We indent with tabs.")


async def test_a_memory_of_others_is_not_there(make_agent: MakeAgent) -> None:
    async with make_agent(user_id="grace") as theirs, make_agent() as agent:
        added = await theirs.memory.add("We indent with tabs.")
        assert len(await agent.memory.list(include_inactive=True)) == 0
        assert await agent.memory.search("tabs") == []
        for call in (agent.memory.get, agent.memory.forget, agent.memory.restore):
            with pytest.raises(NotFound):
                await call(added.uuid)
        await theirs.memory.forget(added.uuid)


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        (("/remember we log nothing",), ()),
        (("/remember tabs over spaces", "/remember spaces over tabs"), ("tabs over spaces",)),
        (("note: we log nothing", "/forget we log nothing"), ("we log nothing",)),
        (("decision: tokens last an hour", "update: tokens last a day"), ("tokens last an hour",)),
        (
            ("decision: tokens last an hour", "update: tokens last a day", "forget: tokens last a day"),
            ("tokens last a day",),
        ),
        (("todo: write the migration", "done: the migration"), ("write the migration",)),
    ],
)
async def test_what_a_message_did_is_taken_back(
    make_agent: MakeAgent, said: tuple[str, ...], holds: tuple[str, ...]
) -> None:
    async with make_agent(*["Noted."] * len(said), settings=PATIENT) as agent:
        talk = await agent.create_conversation()
        for each in said:
            last = await talk.send_message(each)
        done = await _undo(agent, last.user_message_id)
        assert done.forgotten or done.restored
        left = [each.content.partition(": ")[2] or each.content for each in await agent.memory.list()]
        assert [each.removeprefix("/remember ") for each in left] == list(holds)
        if said[-1].startswith(("/forget", "done")):
            # Nothing is said against it any more.
            assert [each.corrected for each in await agent.decisions()] == [None] * 1
        # A second time there is nothing to take back.
        assert await _undo(agent, last.user_message_id) == ((), ())


async def _undo(agent: AsyncConversationAgent, message_id: str) -> object:
    services = await agent.open()
    assert services.memories is not None
    store = AddedMemoryStore(services.stores.graph, services.place.owner)
    return await undo_message(store, services.memories, message_id)


def test_without_await(make_agent: MakeAgent) -> None:
    pattern = make_agent()
    with ConversationAgent(
        pattern._target, llm_provider="extractive", user_id=pattern.user_id, project=pattern.project
    ) as agent:
        added = agent.memory.add("We indent with tabs.", "rule")
        assert agent.memory.list().items == (added,)
        assert agent.memory.forget(added.uuid).is_active is False
        assert [each.reason for each in agent.memory.history(added.uuid)] == ["forget"]
