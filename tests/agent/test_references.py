"""What was said of code stays tied to it: labels after edits, moves and removals, by the awaited classes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragforge_memory import CODE_SEARCH_TOOLS, InvalidInput, MessageNotFound
from ragforge_memory.code.git import git_environment
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from tests.agent.conftest import MakeAgent
from tests.agent.echoing import EchoingProvider
from tests.agent.passwords import CODE, project

__all__ = ["project"]

pytestmark = pytest.mark.anyio


async def test_labels_follow_the_code(make_agent: MakeAgent, project: Path) -> None:
    async with make_agent(
        "`check_password` is in auth.py, it calls `scramble`.", "See `check_password`.", root=project
    ) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation("Passwords")
        await conversation.send_message("How are passwords checked?")
        found = await conversation.referenced_code()
        assert [(each.qualified_name, each.kind, each.status) for each in found] == [
            ("check_password", "discussed", "fresh"),
            ("scramble", "discussed", "fresh"),
        ]

        # White space, comments and place do not matter; tokens do.
        edited = "# A comment.\n\n\n" + CODE.replace("digest == scramble", "digest  ==  scramble").replace("31", "37")
        (project / "auth.py").write_text(edited)
        await agent.ingest()
        assert [(each.qualified_name, each.status) for each in await conversation.referenced_code()] == [
            ("check_password", "fresh"),
            ("scramble", "drifted"),
        ]
        [_, answer] = await conversation.get_history()
        # The line of then and that of now.
        assert {(each.name, each.start_line, each.now_line) for each in answer.references} == {
            ("check_password", 1, 4),
            ("scramble", 7, 10),
        }
        assert list(answer.references) == await conversation.referenced_code()
        # The same code said again from its new place: the line of that time.
        await conversation.send_message("Again?")
        lines = [(each.name, each.start_line) for each in await conversation.referenced_code()]
        assert lines == [("check_password", 1), ("scramble", 7), ("check_password", 4)]
        assert {each.qualified_name: each.status for each in answer.references} == {
            "check_password": "fresh",
            "scramble": "drifted",
        }

        (project / "auth.py").unlink()
        (project / "passwords.py").write_text(CODE.partition("\n\n\n")[0] + "\n")
        await agent.ingest()
        [moved, gone, _] = await conversation.referenced_code()
        assert (moved.status, moved.changed, moved.moved_to_file) == ("moved", False, "passwords.py")
        assert (gone.status, gone.scope_id) == ("orphaned", None)

        # By the name of then, by the file of then and of now.
        names = ("check_password", "scramble", "auth.py", "passwords.py")
        places = ("auth.py:check_password", "./passwords.py:check_password", "passwords.py:check_password(user, text)")
        for name in (*names, *places, "check_password(user, text)", "def check_password(user: str) -> bool:"):
            [info] = await agent.conversations_about(name)
            assert (info.uuid, info.title) == (conversation.uuid, "Passwords")
            assert answer.uuid in {each.message_id for each in info.references}
        # By the module of then, and of now.
        for name in ("auth.check_password", "passwords.check_password"):
            assert [info.uuid for info in await agent.conversations_about(name)] == [conversation.uuid]
        for name in (
            "nothing_of_the_kind",
            "elsewhere.check_password",
            "passwords.py:scramble",
            "passwords.py:nothing(check_password)",
        ):
            assert await agent.conversations_about(name) == []
        with pytest.raises(InvalidInput, match="empty"):
            await agent.conversations_about(" ")


async def test_an_answer_that_only_quotes_what_was_said_is_tied_to_nothing(
    make_agent: MakeAgent, project: Path
) -> None:
    quoted = "What was said about `check_password`:\n- You, message 1:\n  > we decided that `check_password` stays"
    async with make_agent(provider=EchoingProvider([quoted, "See `check_password`."]), root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        await conversation.send_message("What did we decide about check_password?")
        assert await conversation.referenced_code() == []
        assert [message.echo for message in await conversation.get_history()] == [False, True]
        await conversation.send_message("Where is it?")
        assert len(await conversation.referenced_code()) == 1


async def test_a_model_that_begins_with_nothing_found_may_have_found_something(
    make_agent: MakeAgent, project: Path
) -> None:
    async with make_agent("Nothing found that breaks.\nBut `scramble` overflows, fixed.", "", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        answer = await conversation.send_message("Is anything wrong?")
        await conversation.send_message("What does `check_password` do?")  # no answer says anything of it
        assert [(each.name, each.message_id) for each in await conversation.referenced_code()] == [
            ("scramble", answer.message_id)
        ]


async def test_a_conversation_with_many_ties_to_a_file_hides_no_other(make_agent: MakeAgent, project: Path) -> None:
    async with make_agent(root=project) as agent:
        await agent.ingest()
        older = await agent.import_conversation([{"role": "user", "content": "Once.", "timestamp": "2020-01-01"}])
        newer = await agent.import_conversation([{"role": "user", "content": f"Say {n}."} for n in range(41)])
        for conversation in (older, newer):
            for message in await conversation.get_history():
                await conversation.reference_code(message.uuid, ["check_password", "scramble"])

        found = await agent.conversations_about("auth.py", limit=2)
        [last] = await agent.conversations_about("auth.py", limit=1)

        assert [info.uuid for info in found] == [newer.uuid, older.uuid]
        assert last.uuid == newer.uuid
        assert {each.name for each in found[1].references} == {"check_password", "scramble"}


async def test_code_that_is_not_committed_is_at_no_commit(make_agent: MakeAgent, project: Path) -> None:
    git(project, "init", "-q", "-b", "main")
    (project / "kept.py").write_text("def kept_as_it_was(word):\n    return word * 3\n")
    first = commit(project)
    (project / "auth.py").write_text(CODE.replace("31", "37"))
    (project / "added.py").write_text("def only_in_the_work_tree(word):\n    return word * 5\n")
    said = "`scramble`, `kept_as_it_was` and `only_in_the_work_tree`."
    async with make_agent(said, said, said, "Yes.", root=project) as agent:
        await agent.ingest()

        async def told() -> dict[str, str | None]:
            conversation = await agent.create_conversation()
            await conversation.send_message("What is there?")
            return {each.name: each.commit for each in await conversation.referenced_code()}

        assert await told() == {"scramble": None, "kept_as_it_was": first, "only_in_the_work_tree": None}
        second = commit(project)
        # What the last ingest read counts: nobody has looked whether this commit has the same.
        assert await told() == {"scramble": None, "kept_as_it_was": first, "only_in_the_work_tree": None}
        await agent.ingest()
        assert await told() == {"scramble": second, "kept_as_it_was": second, "only_in_the_work_tree": second}

        conversation = await agent.create_conversation()
        answer = (await conversation.send_message("And now?")).message_id
        [tie] = await conversation.reference_code(answer, ["check_password"], "edited")
        assert (tie.commit, tie.start_line) == (second, tie.now_line)
        (project / "auth.py").write_text("# one more line\n" + CODE)
        await agent.ingest()
        [about] = await agent.conversations_about("check_password")
        assert [(each.commit, each.now_line) for each in about.references] == [(second, tie.start_line + 1)]
        assert [each.start_line for each in about.references] == [tie.start_line]
        tied = await conversation.reference_code(answer, ["scramble"], "tested")
        assert [each.commit for each in tied if each.kind == "tested"] == [None]


def git(directory: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *identity, *arguments],
        cwd=directory,
        env=git_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def commit(directory: Path) -> str:
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "-m", "change")
    return git(directory, "rev-parse", "HEAD")


async def test_ties_that_a_caller_makes(make_agent: MakeAgent, project: Path) -> None:
    async with make_agent("Done.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        response = await conversation.send_message("Change the digest, please.")
        ties = await conversation.reference_code(response.message_id, ["scramble"], "edited")
        assert [(each.qualified_name, each.kind, each.status) for each in ties] == [("scramble", "edited", "fresh")]
        branch = await conversation.branch()
        assert await branch.referenced_code() == await conversation.referenced_code() == ties
        with pytest.raises(InvalidInput, match="no single definition"):
            await conversation.reference_code(response.message_id, ["no_such_name"], "read")
        with pytest.raises(
            InvalidInput, match=r"(?m)by 'typo' \(none is found\), '`typo2`' \(none is found\)$"
        ):  # and not the one that is known
            await conversation.reference_code(response.message_id, ["check_password", "typo", "`typo2`"], "read")
        assert await conversation.referenced_code() == ties
        with pytest.raises(InvalidInput, match="no kind"):
            await conversation.reference_code(response.message_id, ["scramble"], "admired")  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="list of names"):
            await conversation.reference_code(response.message_id, "scramble")
        other = await agent.create_conversation()
        with pytest.raises(MessageNotFound):
            await other.reference_code(response.message_id, ["scramble"])


async def test_a_context_names_the_code_of_its_messages(make_agent: MakeAgent, project: Path) -> None:
    async with make_agent("`check_password` calls `scramble`.", "See `scramble`.", "Well.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation("Passwords")
        for question in ("How are passwords checked?", "And scrambled?", "Anything else?"):
            await conversation.send_message(question)
        for strategy in ("recent", "relevant", "hybrid"):
            context = await conversation.build_context(strategy, query="check_password scramble")
            assert {(each.name, each.status) for each in context.code} == {
                ("check_password", "fresh"),
                ("scramble", "fresh"),
            }
            assert len(context.code) == 2
            said = [*context.recent_messages, *(each.message for each in context.relevant_messages)]
            told = {message.content: {each.name for each in message.references} for message in said}
            assert told["See `scramble`."] == {"scramble"}
            assert told["`check_password` calls `scramble`."] == {"check_password", "scramble"}
            assert told.get("Anything else?", set()) == set()
        assert (await conversation.build_context("recent", recent_messages=1)).code == ()


async def test_what_was_said_comes_with_what_became_of_the_code(make_agent: MakeAgent, project: Path) -> None:
    async with make_agent("`scramble` is fine, it multiplies by 31.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation("Digests")
        await conversation.send_message("Is the digest any good?")
        (project / "auth.py").write_text(CODE.replace("31", "37"))
        await agent.ingest()
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS, root=project) as agent:
        later = await agent.create_conversation()
        response = await later.send_message("what did we say about scramble?")
        assert "it multiplies by 31" in response.content
        assert "  about `scramble` (auth.py): its code has changed since" in response.content
        [call] = [each for each in response.tool_calls if each.tool_name == "search_conversation"]
        [found] = [each for each in call.result["messages"] if each["role"] == "assistant"]
        assert [(each["name"], each["kind"], each["status"]) for each in found["code"]] == [
            ("scramble", "discussed", "drifted")
        ]


async def test_what_the_user_states_is_tied_to_its_code_and_what_only_asks_through_its_answer(
    make_agent: MakeAgent, project: Path
) -> None:
    async with make_agent("I see.", "I see.", "I see.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation("Passwords")
        asked = await conversation.send_message("Where is `scramble`?")
        told = await conversation.send_message("We decided that check_password never logs. Is `scramble` fine too?")
        await conversation.send_message("We decided on tabs.")
        ties = await conversation.referenced_code()
        assert {(each.qualified_name, each.kind, each.message_id) for each in ties} == {
            ("check_password", "discussed", told.user_message_id),
            ("scramble", "discussed", told.user_message_id),
            ("scramble", "discussed", asked.message_id),
        }
        assert asked.user_message_id not in {each.message_id for each in ties}
        for name in ("check_password", "`check_password()`"):
            assert [each.uuid for each in await agent.conversations_about(name)] == [conversation.uuid]
