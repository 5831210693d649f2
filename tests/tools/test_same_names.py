"""Several definitions of one name: each has its own inheritors, and the one that is meant comes first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.code.parse import parse
from ragforge_memory.code.parsed import ParsedFile
from tests.tools.conftest import Run, write_files

pytestmark = pytest.mark.anyio

FILES = {
    "jobs/worker.py": "class Worker:\n    pass\n\n\nclass Nightly(Worker):\n    pass\n",
    "mail/worker.py": "class Worker:\n    pass\n\n\nclass Sender(Worker):\n    pass\n",
    "mail/fast.py": "from mail import worker\n\n\nclass Courier(worker.Worker):\n    pass\n",
    "web/pool.py": "from elsewhere import Worker\n\n\nclass Crawler(Worker):\n    pass\n\n\n"
    "def crawl(): ...\n\n\ndef pool_size(): ...\n\n\nclass PoolSize: ...\n",
    "text/out.py": (
        "import typing as t\nfrom typing import overload\n\n\n@overload\ndef say(a: int) -> int: ...\n@overload\n"
        "def say(a: str) -> str: ...\ndef say(a):\n    return a\n\n\nclass Voice:\n    @t.overload\n"
        "    def say(self, a: int) -> int: ...\n    def say(self, a):\n        return a\n\n\n"
        "def shout():\n    return say(1)\n\n\ndef sing(anyone):\n    return anyone.hum()\n"
    ),
    "text/option.py": "def option():\n    return Option()\n\n\nclass Option:\n    def option(self): ...\n",
    "tests/test_option.py": "class option: ...\n\n\ndef Option(): ...\n",
    "text/hum.py": (
        "import typing\n\n\nclass Hum:\n    @typing.overload\n    def hum(self) -> int: ...\n"
        "    @typing.overload\n    def hum(self, a: int) -> int: ...\n    def hum(self, a=1):\n        return a\n"
    ),
    "kit/__init__.py": "from kit_core.next import define, frozen\n",
    "kit/__init__.pyi": "def define(x: int) -> int: ...\ndef frozen(x: int) -> int: ...\n",
    "kit_core/next.py": "def define(x):\n    return x\n\n\ndef frozen(x):\n    return x\n",
    "kit_core/old.py": "def frozen(x):\n    return x\n",
    "tests/test_kit.py": "import kit\n\n\ndef define():\n    return kit.define(1)\n",
    "zoo/many.py": "".join(f"class Plain{number:02}:\n    def roar(self): ...\n\n\n" for number in range(12))
    + "class Late:\n    def roar(self): ...\n\n\nclass Later(Late):\n    def roar(self): ...\n",
    "pets/pets.py": (
        "class Pet:\n    def speak(self): ...\n\n\nclass Dog(Pet): ...\n\n\n"
        "class Puppy(Dog):\n    def speak(self): ...\n\n\nclass Radio:\n    def speak(self): ...\n"
    ),
    "sound/base.py": "class Sound:\n    def play(self): ...\n\n\ndef listen(sound: Sound):\n    sound.play()\n",
    "sound/loud.py": (
        "from sound.base import Sound\n\n\nclass Horn(Sound):\n    def play(self): ...\n\n\n"
        "class Siren(Horn):\n    def play(self):\n        super().play()\n        Sound.play(self)\n"
    ),
    "web/shapes.ts": "interface Shape { area(): number }\nclass Square implements Shape { area() { return 1 } }\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project's files."""
    return write_files(tmp_path / "shop", FILES)


def below(value: dict[str, Any]) -> dict[str, list[tuple[str, str, list[int]]]]:
    return {
        each["file"]: [(one["qualified_name"], one["file"], one["lines"]) for one in each["subclasses"]]
        for each in value["scopes"]
    }


async def test_a_file_that_several_definitions_may_be_used_in_is_parsed_once_and_only_if_it_has_changed(
    run: Run, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(path: str, data: bytes) -> ParsedFile:
        read.append(path)
        return parse(path, data)

    monkeypatch.setattr("ragforge_memory.code.parse.parse", counted)
    monkeypatch.setattr("ragforge_memory.tools.written_uses.PARSE_SECONDS", 60.0)
    before = (await run("find_callers", name="Worker")).value
    assert len(before["scopes"]) == 2
    assert sorted(read) == sorted(file for file in FILES if "Worker" in FILES[file])
    # Where the ingest has left what it parsed.
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))
    read.clear()
    assert (await run("find_callers", name="Worker")).value == before
    assert read == []
    (shop / "mail" / "fast.py").write_text(FILES["mail/fast.py"] + "\n\nworker.Worker()\n")
    found = (await run("find_callers", name="Worker")).value
    assert read == ["mail/fast.py"]
    assert [each["top_level"] for each in found["scopes"]] == [
        [],
        [{"qualified_name": "", "type": "", "file": "mail/fast.py", "line": 0, "lines": [8]}],
    ]


async def test_what_overrides_a_member_may_be_further_below(run: Run) -> None:
    found = (await run("find_callers", name="speak")).value
    told = {each["qualified_name"]: [one["qualified_name"] for one in each["overrides"]] for each in found["scopes"]}
    assert told == {"Pet.speak": ["Puppy.speak"], "Puppy.speak": [], "Radio.speak": []}
    # What is called through ``super()``, or by its type's name, is that and no other.
    found = (await run("find_callers", name="play")).value
    told = {
        each["qualified_name"]: [(one["qualified_name"], one["lines"], one["calls"]) for one in each["through"]]
        for each in found["scopes"]
    }
    listens = [("listen", [6], "Sound.play")]
    assert told == {"Sound.play": [], "Horn.play": listens, "Siren.play": listens}


async def test_each_class_has_its_own_inheritors_and_bases(run: Run) -> None:
    found = below((await run("find_callers", name="Worker")).value)
    assert found == {
        "jobs/worker.py": [("Nightly", "jobs/worker.py", [5])],
        "mail/worker.py": [("Courier", "mail/fast.py", [4]), ("Sender", "mail/worker.py", [5])],
    }

    found = below((await run("find_callers", name="Shape")).value)
    assert found == {"web/shapes.ts": [("Square", "web/shapes.ts", [2])]}
    # Each of a name's bases is the one that is meant; what is defined elsewhere stands in the signature alone.
    for name, above in [
        ("Sender", [("Worker", "mail/worker.py", 1, [5])]),
        ("Courier", [("Worker", "mail/worker.py", 1, [4])]),
        ("Square", [("Shape", "web/shapes.ts", 1, [2])]),
        ("Crawler", []),
    ]:
        (scope,) = (await run("find_callees", name=name)).value["scopes"]
        assert [(each["qualified_name"], each["file"], each["line"], each["lines"]) for each in scope["bases"]] == above
    assert "Worker" in scope["signature"]


async def test_what_is_implemented_comes_before_its_overloads(run: Run) -> None:
    said = (await run("read_scope", name="say")).value["scopes"]
    assert [(each["qualified_name"], each["line"], each.get("overload", False)) for each in said] == [
        ("say", 9, False),
        ("Voice.say", 16, False),
        ("say", 6, True),
        ("say", 8, True),
        ("Voice.say", 15, True),
    ]
    assert said[0]["source"].startswith("def say(a):\n    return a")
    # Calls are told of what is implemented alone.
    value = (await run("find_callers", name="say")).value
    assert [(each["qualified_name"], each["line"]) for each in value["scopes"]] == [("say", 9), ("Voice.say", 16)]
    assert value["total"] == 2
    assert [each["qualified_name"] for each in value["scopes"][0]["callers"]] == ["shout"]
    (callees,) = (await run("find_callees", name="shout")).value["scopes"]
    assert [(each["qualified_name"], each["line"]) for each in callees["callees"]] == [("say", 9)]
    # Its own overloads do not make a name ambiguous.
    (hum,) = (await run("find_callers", name="hum")).value["scopes"]
    assert [each["qualified_name"] for each in hum["possible"]] == ["sing"]


async def test_what_a_name_is_said_to_be_comes_first(run: Run) -> None:
    for name, kind, match, place in [
        ("option", "", "exact", ("text/option.py", 1)),
        ("option", "function", "exact", ("text/option.py", 1)),
        ("option", "method", "exact", ("text/option.py", 6)),
        ("option", "class", "exact", ("tests/test_option.py", 1)),
        ("Option", "class", "exact", ("text/option.py", 5)),
        ("Option", "function", "exact", ("tests/test_option.py", 4)),
        ("Option", "method", "exact", ("tests/test_option.py", 4)),
        ("shout", "class", "exact", ("text/out.py", 20)),
        ("nightly", "class", "spelling", ("jobs/worker.py", 5)),
        ("option", "nonsense", "exact", ("text/option.py", 1)),
    ]:
        value = (await run("read_scope", name=name, kind=kind)).value
        first = value["scopes"][0]
        assert (value["match"], (first["file"], first["line"])) == (match, place), (name, kind)
        assert "source" in first
    # A spelling of that kind goes before the same letters of another.
    value = (await run("read_scope", name="worker", kind="class")).value
    assert (value["match"], value["scopes"][0]["qualified_name"]) == ("spelling", "Worker")
    assert (await run("read_scope", name="shape", kind="interface")).value["scopes"][0]["qualified_name"] == "Shape"
    value = (await run("read_scope", name="crawl", kind="class")).value
    assert (value["match"], value["scopes"][0]["qualified_name"]) == ("exact", "crawl")
    value = (await run("read_scope", name="pool_size", kind="class")).value
    assert (value["match"], value["scopes"][0]["qualified_name"]) == ("spelling", "PoolSize")


async def test_a_stub_stands_behind_what_it_declares(run: Run) -> None:
    """The module's name leads to its stub; what runs is taken in from elsewhere."""
    value = (await run("read_scope", name="kit.define")).value
    assert (value["match"], [each["file"] for each in value["scopes"]]) == (
        "exact",
        ["kit_core/next.py", "kit/__init__.pyi"],
    )
    callers = (await run("find_callers", name="kit.define")).value["scopes"]
    assert [(each["file"], [one["file"] for one in each["callers"]]) for each in callers] == [
        ("kit_core/next.py", ["tests/test_kit.py"]),
        ("kit/__init__.pyi", []),
    ]
    # Of two that it may be neither is said to be it; who names the stub gets it.
    value = (await run("read_scope", name="kit.frozen")).value
    assert [each["file"] for each in value["scopes"]] == ["kit/__init__.pyi"]
    value = (await run("read_scope", name="define", file="kit/__init__.pyi")).value
    assert [each["file"] for each in value["scopes"]] == ["kit/__init__.pyi"]
