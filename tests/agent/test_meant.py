"""Which definition a name means that somebody says: by its module, its file, of overloads, by what was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import CODE_SEARCH_TOOLS, InvalidInput
from ragforge_memory.llm.port import ToolRequest
from tests.agent.conftest import MakeAgent
from tests.agent.passwords import CODE, project

__all__ = ["project"]

pytestmark = pytest.mark.anyio


async def test_a_name_may_have_its_module_before_it(make_agent: MakeAgent, project: Path) -> None:
    (project / "bank").mkdir()
    (project / "bank" / "vault.py").write_text(
        "class Vault:\n    def scramble(self):\n        return 1\n\n\ndef seal(door):\n    return door\n"
    )
    said = "`auth.scramble` and bank.vault.Vault.scramble(), bank.seal() too; not `json.seal`, `self.check_password`."
    async with make_agent(said, "Yes.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        await conversation.send_message("What scrambles?")
        meant = {(each.file, each.qualified_name) for each in await conversation.referenced_code()}
        answer = await conversation.send_message("Sure?")
        tied = await conversation.reference_code(answer.message_id, ["auth.check_password", "bank.vault.seal"])

        assert meant == {
            ("auth.py", "scramble"),
            ("bank/vault.py", "Vault.scramble"),
            ("bank/vault.py", "seal"),
        }
        assert {each.qualified_name for each in tied} == {"check_password", "seal"}
        for name, found in (("auth.scramble", 1), ("bank.vault.Vault.scramble", 1), ("vault.scramble", 0)):
            assert len(await agent.conversations_about(name)) == found, name
        with pytest.raises(InvalidInput, match="no single definition"):
            await conversation.reference_code(answer.message_id, ["json.seal"])


async def test_the_shorter_of_two_paths_can_be_named_and_a_refusal_tells_the_candidates(
    make_agent: MakeAgent, project: Path
) -> None:
    for folder in ("util", "b/util", "b/index"):
        (project / folder).mkdir(parents=True)
        (project / folder / "paths.py").write_text("def join_all(parts):\n    return parts\n")
    async with make_agent("Yes.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        answer = await conversation.send_message("Sure?")

        async def tied(name: str) -> list[str]:
            return [each.file for each in await conversation.reference_code(answer.message_id, [name], "read")]

        assert await tied("util.paths.join_all") == ["util/paths.py"]
        assert await tied("util/paths.py:join_all") == ["util/paths.py"]
        assert await tied("b.util.paths.join_all") == ["b/util/paths.py", "util/paths.py"]
        places = ["b/index/paths.py", "b/util/paths.py", "util/paths.py"]
        assert await tied("b/index/paths.py:join_all") == places
        with pytest.raises(InvalidInput, match=r"'join_all'.*'paths.join_all'.*'nothing' .none is found") as refused:
            await conversation.reference_code(answer.message_id, ["join_all", "paths.join_all", "nothing"])
        assert all(refused.value.message.count(f"{place}:join_all") == 2 for place in places[:2])


async def test_a_class_is_meant_and_not_its_constructors(make_agent: MakeAgent, project: Path) -> None:
    (project / "Widget.cs").write_text(
        "namespace A;\npublic class Widget {\n  int n;\n  public Widget(int n) { this.n = n; }\n"
        "  public Widget(string n) { this.n = n.Length; }\n}\n"
    )
    (project / "Gadget.java").write_text(
        "package a;\npublic class Gadget {\n  int n;\n  public Gadget(int n) { this.n = n; }\n}\n"
    )
    (project / "gizmo.h").write_text("namespace a {\nclass Gizmo {\n public:\n  Gizmo(int n);\n  int n_;\n};\n}\n")
    (project / "gizmo.cc").write_text('#include "gizmo.h"\nnamespace a {\nGizmo::Gizmo(int n) : n_(n) {}\n}\n')
    async with make_agent("Noted.", "Noted.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        await conversation.send_message("note: `Widget` counts, and so do `Gadget` and `Gizmo`")
        assert [(each.file, each.qualified_name, each.start_line) for each in await conversation.referenced_code()] == [
            ("Gadget.java", "Gadget", 2),
            ("Widget.cs", "Widget", 2),
            ("gizmo.h", "Gizmo", 2),
        ]
        other = await agent.create_conversation()
        await other.send_message("note: `Widget.Widget` takes names, too")
        assert [(each.qualified_name, each.start_line) for each in await other.referenced_code()] == [
            ("Widget.Widget", 4),
            ("Widget.Widget", 5),
        ]

        for name in ("Widget.cs", "Gadget.java", "gizmo.h", "gizmo.cc"):
            (project / name).unlink()
        await agent.ingest()
        assert {each.status for each in await conversation.referenced_code()} == {"orphaned"}


async def test_a_stub_and_overloads_make_no_name_ambiguous(make_agent: MakeAgent, project: Path) -> None:
    (project / "auth.pyi").write_text("def scramble(password: str, salt: str) -> str: ...\ndef seal() -> None: ...\n")
    (project / "keys.py").write_text(
        "from typing import overload\n\n\n@overload\ndef derive(key: str) -> str: ...\n@overload\n"
        "def derive(key: bytes) -> bytes: ...\ndef derive(key):\n    return key\n\n\ndef twice():\n    return 1\n"
    )
    (project / "more.py").write_text("def twice():\n    return 2\n")
    said = "`scramble` and `derive` stay as they are; so does `twice`."
    async with make_agent(said, "Yes.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        answer = await conversation.send_message("What stays?")
        meant = {(each.file, each.qualified_name, each.start_line) for each in await conversation.referenced_code()}
        again = await conversation.send_message("Sure?")
        tied = await conversation.reference_code(again.message_id, ["scramble", "derive", "auth.seal"], "read")
        with pytest.raises(InvalidInput, match="no single definition"):
            await conversation.reference_code(answer.message_id, ["twice"])

    both = {("auth.py", "scramble", 7), ("keys.py", "derive", 8)}
    assert meant == both  # of two definitions none is guessed
    declared = ("auth.pyi", "seal", 2)  # where there is nothing else
    assert {(each.file, each.qualified_name, each.start_line) for each in tied} == {*both, declared}


async def test_a_file_that_the_user_names_tells_which_of_two_is_meant(make_agent: MakeAgent, project: Path) -> None:
    (project / "other.py").write_text(CODE)
    async with make_agent("I see.", "I see.", "I see.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation("Passwords")
        await conversation.send_message("Is `scramble` slow?")  # which of them?
        asked = await conversation.send_message("Is `scramble` of other.py slow?")
        told = await conversation.send_message("`check_password` in auth.py never logs.")
        assert [(each.file, each.name, each.message_id) for each in await conversation.referenced_code()] == [
            ("other.py", "scramble", asked.message_id),
            ("auth.py", "check_password", told.user_message_id),
        ]


async def test_of_several_in_a_file_that_is_named_only_what_was_read_is_tied(
    make_agent: MakeAgent, project: Path
) -> None:
    (project / "flow.py").write_text(
        "class Basic:\n    def flow(self):\n        return 1\n"
        "\n\nclass Digest:\n    def flow(self):\n        return 2\n"
    )
    said = "In flow.py it is `flow`."
    read = [ToolRequest("c", "read_scope", {"name": "Basic.flow"})]
    async with make_agent(said, read, said, root=project, tools=CODE_SEARCH_TOOLS) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        await conversation.send_message("Which one?")
        assert await conversation.referenced_code() == []
        await conversation.send_message("Which one?")
        ties = await conversation.referenced_code()
        assert {(each.qualified_name, each.kind) for each in ties} == {
            ("Basic.flow", "read"),
            ("Basic.flow", "discussed"),
        }


async def test_code_is_asked_for_as_its_language_writes_it(make_agent: MakeAgent, project: Path) -> None:
    (project / "builder.rb").write_text(
        "module Rack\n  class Builder\n    def call(env)\n      env\n    end\n  end\nend\n"
    )
    async with make_agent("`Rack::Builder#call` stays.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        answer = await conversation.send_message("What stays?")
        for name in ("Rack::Builder#call", "`Builder#call`", "Rack::Builder.call", "::Rack::Builder#call()"):
            assert [each.uuid for each in await agent.conversations_about(name)] == [conversation.uuid], name
        assert await agent.conversations_about("Rack::Server#call") == []
        tied = await conversation.reference_code(answer.message_id, ["Rack::Builder#call"], "read")
        assert [each.qualified_name for each in tied if each.kind == "read"] == ["Rack.Builder.call"]


async def test_a_name_may_have_its_namespace_before_it(make_agent: MakeAgent, project: Path) -> None:
    marked = "class MarkBased { function run() { return %d; } }\n"
    files = {
        "src/Routes.php": "<?php\nnamespace FastRoute;\nfunction simpleRoutes($a) { return $a; }\n",
        "src/one.php": "<?php\nnamespace FastRoute\\DataGenerator;\n" + marked % 1,
        "src/two.php": "<?php\nnamespace FastRoute\\Dispatcher;\n" + marked % 2,
        "Widget.cs": "namespace A.B;\npublic class Widget {\n  int n;\n  public Widget(int n) { this.n = n; }\n}\n",
    }
    for name, text in files.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    said = {
        r"`FastRoute\simpleRoutes` is only for tests": [("src/Routes.php", "simpleRoutes")],
        r"`\FastRoute\simpleRoutes()` is only for tests": [("src/Routes.php", "simpleRoutes")],
        r"`DataGenerator\MarkBased` is slow": [("src/one.php", "MarkBased")],
        r"`FastRoute\Dispatcher\MarkBased::run` is slow": [("src/two.php", "MarkBased.run")],
        "`A.B.Widget` counts": [("Widget.cs", "Widget")],
        "`B.Widget` counts": [("Widget.cs", "Widget")],
        r"`Slim\simpleRoutes`, `System.Widget` and `MarkBased` are no ones that we have": [],
    }
    async with make_agent(*(["Noted."] * len(said)), root=project) as agent:
        await agent.ingest()
        for note, meant in said.items():
            conversation = await agent.create_conversation()
            await conversation.send_message(f"note: {note}")
            ties = await conversation.referenced_code()
            assert [(each.file, each.qualified_name) for each in ties] == meant, note
        [first, *_] = await conversation.get_history()
        tied = await conversation.reference_code(first.uuid, [r"FastRoute\Dispatcher\MarkBased"], "read")
        assert [each.file for each in tied] == ["src/two.php"]
        assert len(await agent.conversations_about(r"FastRoute\simpleRoutes")) == 2
        assert await agent.conversations_about(r"Slim\simpleRoutes") == []


async def test_a_mark_behind_a_name_is_part_of_it_or_says_that_it_is_a_macro(
    make_agent: MakeAgent, project: Path
) -> None:
    macro = "#[macro_export]\nmacro_rules! bail {\n    ($e:expr) => { return Err($e) };\n}\n"
    (project / "anyhow").mkdir()
    (project / "anyhow" / "macros.rs").write_text(f"{macro}\npub fn ensure(a: u8) -> u8 {{\n    a\n}}\n")
    (project / "cart.rb").write_text(
        "class Cart\n  def save\n    1\n  end\n\n  def save!\n    2\n  end\n\n  def empty?\n    3\n  end\n\n"
        "  def halt\n    4\n  end\nend\n"
    )
    said = {
        "`bail!` returns early": ["bail"],
        "`anyhow::bail!(x)` returns early": ["bail"],
        "`bail` returns early": ["bail"],
        "`save!` raises": ["Cart.save!"],
        "`Cart#empty?` never raises": ["Cart.empty?"],
        "`Cart#save` never raises": ["Cart.save"],
        "`Cart#halt` never raises": ["Cart.halt"],
        "`ensure!` is not a macro here, `empty!` and `scramble!` are none at all": [],
    }
    async with make_agent(*(["Noted."] * len(said)), root=project) as agent:
        await agent.ingest()
        for note, meant in said.items():
            conversation = await agent.create_conversation()
            await conversation.send_message(f"note: {note}")
            assert [each.qualified_name for each in await conversation.referenced_code()] == meant, note
        for name, number in {"bail!": 3, "`bail!`": 3, "bail": 3, "save!": 1, "halt": 1, "halt!": 0, "!": 0}.items():
            assert len(await agent.conversations_about(name)) == number, name


async def test_what_a_test_is_called_after_is_meant_and_not_the_test(make_agent: MakeAgent, project: Path) -> None:
    (project / "utf8.rs").write_text(
        "pub fn decode(a: u8) -> u8 {\n    a\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn decode() {\n"
        "        assert_eq!(super::decode(1), 1);\n    }\n\n    #[test]\n    fn alone() {\n        assert!(true);\n"
        "    }\n}\n"
    )
    async with make_agent("Noted.", "Noted.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        await conversation.send_message("note: `decode` never panics, says `alone`")
        assert [(each.name, each.start_line) for each in await conversation.referenced_code()] == [
            ("decode", 1),
            ("alone", 12),
        ]
