"""What was said of the code that a diff changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.agent.ties.references import impact as impact_with_decisions
from ragforge_memory.anchors.impact import impact
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.impact import Impact
from ragforge_memory.models.owner import Owner
from ragforge_memory.text.forms import read_form
from tests.anchors.conftest import NAMESAKE, Repository, Run, Talk

pytestmark = pytest.mark.anyio


def _said(uuid: str, text: str) -> NewMessage:
    """A user's message, read as a turn reads it."""
    form = read_form(text)
    return NewMessage(uuid, "user", text, kind=form.kind if form else None, how=form.how if form else None)


def _agent(neo4j_config: Neo4jConfig, owner: Owner) -> AsyncConversationAgent:
    return AsyncConversationAgent(
        neo4j_config,
        llm_provider=ScriptedProvider(purposes={"summary": ["Interest is in cents."]}),
        config=ConversationConfig(embed_messages=False),
        user_id=owner.user_id,
        project=owner.project,
    )


def changes(found: Impact) -> dict[str, str]:
    return {scope.qualified_name: scope.change for scope in found.scopes}


async def test_only_messages_on_changed_tokens_are_named(repository: Repository, talk: Talk) -> None:
    deposit, report = await talk.say("Account.deposit", kind="edited"), await talk.say("report")
    repository.edit("bank.py", ("self.balance += amount", "self.balance = self.balance + amount"))
    repository.edit("bank.py", ("def report(accounts):", "# What there is.\ndef report(accounts):"))

    found = await impact(repository.root, talk.references)

    assert changes(found) == {"Account": "changed", "Account.deposit": "changed"}
    assert found.messages == (deposit,)
    assert report not in found.messages
    tied = next(scope for scope in found.scopes if scope.messages).messages[0]
    assert (tied.reference.kind, tied.title) == ("edited", "About money")


async def test_a_submodule_at_another_commit_is_named(repository: Repository, talk: Talk) -> None:
    first, second = (repository.git("commit-tree", "-m", each, "HEAD^{tree}") for each in ("a", "b"))
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{first},vendor/lib")
    repository.git("commit", "-q", "-m", "add")
    repository.git("update-index", "--cacheinfo", f"160000,{second},vendor/lib")
    repository.git("commit", "-q", "-m", "bump")
    found = await impact(repository.root, talk.references, "HEAD")
    assert (found.scopes, found.outside) == ((), ("vendor/lib",))


async def test_what_a_syntax_error_touches_counts_as_changed(repository: Repository, run: Run, talk: Talk) -> None:
    deposit, report = await talk.say("Account.deposit"), await talk.say("report")
    repository.edit("bank.py", ("self.balance += amount", "self.balance = self.balance + amount"))
    repository.edit("bank.py", ("def report(accounts):", "def report(accounts:"))

    found = await impact(repository.root, talk.references)
    broken = repository.commit()
    committed = await impact(repository.root, talk.references, broken)
    repository.edit("bank.py", ("def report(accounts:", "def report(accounts):"))
    healed = await impact(repository.root, talk.references)

    for each in (found, committed):
        assert changes(each) == {"Account": "changed", "Account.deposit": "changed", "report": "changed"}
        assert set(each.messages) == {deposit, report}
    assert changes(healed) == {"report": "changed"}
    assert healed.messages == (report,)


async def test_each_message_is_read_once_however_much_it_is_tied_to(
    repository: Repository, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragforge_memory.graph.anchors._TOLD_AT_ONCE", 2)
    said = [await talk.say("Account.deposit", "interest", "report") for _ in range(3)]
    for old, new in (("+= amount", "-= amount"), ("// 100", "/ 100"), ("def report(accounts)", "def report(several)")):
        repository.edit("bank.py", (old, new))
    asked: list[list[str]] = []

    async def read(name: str, read: Any = talk.client.read, **parameters: Any) -> Any:
        if name == "told_messages":
            asked.append(parameters["uuids"])
        return await read(name, **parameters)

    monkeypatch.setattr(talk.client, "read", read)
    found = await impact(repository.root, talk.references)

    assert [len(scope.messages) for scope in found.scopes if scope.messages] == [3, 3, 3]
    assert sorted(map(len, asked)) == [1, 2]
    assert sorted(uuid for some in asked for uuid in some) == sorted(said)


async def test_a_commit_says_what_it_moved_added_and_removed(repository: Repository, run: Run, talk: Talk) -> None:
    interest = await talk.say("interest")
    await talk.say("Account.deposit")
    gone = await talk.say("report")
    text = repository.cut("bank.py", "def interest", "def report")
    repository.cut("bank.py", "def report")
    repository.append("rates.py", text + "\n\ndef yearly(account):\n    return interest(account, 1)\n")
    commit = repository.commit()

    before = await impact(repository.root, talk.references, commit)
    await run()
    after = await impact(repository.root, talk.references, "HEAD^..HEAD")

    expected = {"interest": "moved", "report": "removed", "yearly": "added"}
    assert changes(before) == changes(after) == expected
    assert set(before.messages) == set(after.messages) == {interest, gone}
    moved = next(scope for scope in after.scopes if scope.change == "moved")
    assert (moved.moved_to_file, moved.moved_to_name) == ("rates.py", "interest")


async def test_what_has_the_name_of_what_was_moved_is_nothing_that_was_spoken_of(
    repository: Repository, run: Run, talk: Talk
) -> None:
    said = await talk.say("interest")
    repository.append("rates.py", repository.cut("bank.py", "def interest", "def report"))
    move = repository.commit()
    await run()
    repository.append("bank.py", NAMESAKE)
    added = repository.commit()
    not_ingested = await impact(repository.root, talk.references, added)
    await run()
    repository.edit("bank.py", ("> 3", "> 4"))
    changed = repository.commit()
    repository.cut("bank.py", "def interest")
    removed = repository.commit()
    await run()
    found = {commit: await impact(repository.root, talk.references, commit) for commit in (added, changed, removed)}

    assert changes(not_ingested) == changes(found[added]) == {"interest": "added"}
    assert [changes(found[commit]) for commit in (changed, removed)] == [
        {"interest": "changed"},
        {"interest": "removed"},
    ]
    assert not_ingested.messages == ()
    assert [each.messages for each in found.values()] == [(), (), ()]
    assert (await impact(repository.root, talk.references, move)).messages == (said,)


async def test_what_moved_since_the_ingest_is_known_by_where_it_was(
    repository: Repository, run: Run, talk: Talk
) -> None:
    said = await talk.say("interest")
    ingested = repository.git("rev-parse", "HEAD")
    repository.git("mv", "bank.py", "vault.py")
    repository.commit()
    repository.edit("vault.py", ("// 100", "/ 100"))
    assert (await impact(repository.root, talk.references)).messages == ()
    assert (await impact(repository.root, talk.references, ingested=ingested)).messages == (said,)
    changed = repository.commit()
    found = await impact(repository.root, talk.references, changed, ingested=ingested)
    assert (changes(found), found.messages) == ({"interest": "changed"}, (said,))
    # A commit that is not before the diff tells nothing of it.
    assert (await impact(repository.root, talk.references, changed, ingested=changed)).messages == ()


async def test_what_changed_between_two_moves_is_named_still(repository: Repository, run: Run, talk: Talk) -> None:
    said = await talk.say("interest")
    other = await talk.say("report")
    repository.append("rates.py", repository.cut("bank.py", "def interest", "def report"))
    repository.commit()
    await run()
    repository.edit("rates.py", ("// 100", "/ 100"))
    between = repository.commit()
    (repository.root / "rates.py").rename(repository.root / "yields.py")
    repository.commit()
    assert (await impact(repository.root, talk.references, between)).messages == (said,)
    await run()
    assert (await impact(repository.root, talk.references, between)).messages == (said,)

    # Whatever has the name there now is nothing that was spoken of.
    repository.write("rates.py", NAMESAKE)
    namesake = repository.commit()
    await run()
    assert (await impact(repository.root, talk.references, namesake)).messages == ()
    assert (await impact(repository.root, talk.references, between)).messages == (said,)
    assert other not in (await impact(repository.root, talk.references, f"{between}^..HEAD")).messages


async def test_three_dots_begin_where_both_parted(repository: Repository, talk: Talk) -> None:
    begin = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "-q", "-b", "side")
    repository.edit("bank.py", ("// 100", "/ 100"))
    side = repository.commit()
    repository.git("checkout", "-q", "main")
    repository.append("bank.py", "\n\ndef extra():\n    return 1\n")
    repository.commit()

    two = await impact(repository.root, talk.references, "HEAD..side")
    three = await impact(repository.root, talk.references, "HEAD...side")

    assert changes(two) == {"interest": "changed", "extra": "removed"}
    assert changes(three) == {"interest": "changed"}
    assert (three.before, three.after) == (begin, side)
    repository.git("checkout", "-q", "--orphan", "alone")
    repository.commit()
    with pytest.raises(InvalidInput, match="no commit in common"):
        await impact(repository.root, talk.references, "main...alone")
    with pytest.raises(InvalidInput, match=r"0000000… is not a commit: git gives it to hooks") as refused:
        await impact(repository.root, talk.references, f"{'0' * 40}..HEAD")
    assert "...HEAD" in str(refused.value.hint)


async def test_the_first_commit_and_a_new_file_are_all_added(repository: Repository, talk: Talk) -> None:
    first = await impact(repository.root, talk.references, "HEAD")
    repository.write("new.py", "def fresh():\n    return 1\n")
    untracked = await impact(repository.root, talk.references)

    assert set(changes(first).values()) == {"added"}
    assert changes(untracked) == {"fresh": "added"}


@pytest.mark.parametrize("revision", ["nowhere", "--help", "HEAD..nowhere"])
async def test_an_unknown_revision_is_refused(revision: str, repository: Repository, talk: Talk) -> None:
    with pytest.raises(InvalidInput):
        await impact(repository.root, talk.references, revision)


async def test_a_directory_without_git_is_refused(tmp_path: Path, talk: Talk) -> None:
    with pytest.raises(InvalidInput, match="not in a git repository") as caught:
        await impact(tmp_path, talk.references)
    assert "git init" in (caught.value.hint or "")


async def test_decisions_and_summaries_are_named_as_such(
    repository: Repository, talk: Talk, neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    said = {}
    for text in ("We decided to keep interest in whole cents. It is in `interest`.", "It is in `interest`."):
        said[text] = uuid4().hex
        new = _said(said[text], text)
        await talk.messages.append(talk.conversation_id, new)
        await talk.references.add(said[text], ["interest"], "discussed")
    repository.edit("bank.py", ("// 100", "/ 100"))
    async with _agent(neo4j_config, owner) as agent:
        await (await agent.load_conversation(talk.conversation_id)).summarize()
        services = await agent.open()
        found = await impact_with_decisions(services.stores, services.place, repository.root)

    assert set(found.messages) == set(said.values())
    assert found.decisions == tuple(uuid for text, uuid in said.items() if "decided" in text)
    assert found.summaries == ("Interest is in cents.",)
    [told] = [each for scope in found.scopes for each in scope.messages if each.decision]
    assert told.decision == "We decided to keep interest in whole cents."


async def test_a_decision_tells_what_has_corrected_it_since(
    repository: Repository, talk: Talk, neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    note, update = "note: interest never rounds", "update: interest rounds to cents"
    for text in (note, "note: report prints all accounts", update):
        uuid = uuid4().hex
        new = _said(uuid, text)
        await talk.messages.append(talk.conversation_id, new)
        await talk.references.add(uuid, ["report" if "report" in text else "interest"], "discussed")
    repository.edit("bank.py", ("// 100", "/ 100"))
    repository.edit("bank.py", ("def report(accounts):", "def report(accounts, every=True):"))
    async with _agent(neo4j_config, owner) as agent:
        services = await agent.open()
        found = await impact_with_decisions(services.stores, services.place, repository.root)
    told = {each.decision: each.corrected for scope in found.scopes for each in scope.messages}
    assert told.keys() == {note, "note: report prints all accounts", update}
    assert {text for text, corrected in told.items() if corrected is not None} == {note}
    assert told[note] is not None
    assert (told[note].text, told[note].how) == (update, "corrects")
