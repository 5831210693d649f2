"""What became of code that was rewritten and renamed at once, by what stands beside it and by what went with it."""

from __future__ import annotations

from textwrap import indent

import pytest

from ragforge_memory.anchors.definition import Definition, standing
from ragforge_memory.anchors.evidence import Siblings
from ragforge_memory.anchors.successors import find_successors
from tests.anchors.conftest import Repository, Run, Talk
from tests.anchors.definitions import read

NEIGHBOURS = (
    "def first(values):\n    return values[0] if values else None\n\n\n",
    "def last(values):\n    return values[-1] if values else None\n",
)
LOAD = """
def load(path, limit):
    lines = [line.strip() for line in path.open()]
    return [line for line in lines if line][:limit]


"""
READ = """
def read(path, limit, *, encoding):
    with path.open(encoding=encoding) as stream:
        for line in stream:
            if line.strip() and limit > 0:
                limit -= 1
                yield line.strip()


"""


def successors(before: str, after: str, path: str = "a.py") -> dict[str, str | None]:
    """What became of what is lost of a file, by qualified name."""
    old, new = read("a.py", before), read(path, after)
    side = standing(old, new if path == "a.py" else [])
    came = side.new if path == "a.py" else new
    found = find_successors(side.lost, came, siblings=Siblings(old, new, side.kept))
    return {
        was.qualified_name: each.definition and each.definition.qualified_name
        for was, each in zip(side.lost, found, strict=True)
    }


def test_what_is_rewritten_under_another_name_is_between_the_same_neighbours() -> None:
    one, other = NEIGHBOURS

    assert successors(one + LOAD + other, one + READ + other) == {"load": "read"}
    # At the other end of the file it is no more than a bit like it.
    assert successors(one + LOAD + other, READ + one + other) == {"load": None}


def test_what_stands_in_its_own_file_with_others_between_the_neighbours_is_not_told_by_them() -> None:
    one, other = NEIGHBOURS
    lines = READ.replace("read", "load_lines")
    third = "def third(values):\n    return values[2:3]\n\n\n"

    assert successors(one + LOAD + other, one + lines + other) == {"load": "load_lines"}
    assert successors(one + LOAD + other, one + lines + third + other) == {"load": None}
    # A file that is renamed is for the most part what it was.
    assert successors(one + LOAD + other, one + lines + third + other, "b.py")["load"] == "load_lines"


def test_what_alone_has_a_name_is_what_had_it_however_it_is_written() -> None:
    files = "class Files:\n    kept = 3\n" + indent(LOAD, "    ")
    load = READ.replace("read", "load")
    others = "\n\nclass Others:\n    def load(self):\n        return self.others\n"

    assert successors(files, load, "b.py") == {"Files": None, "Files.load": "load"}
    # Where several have it, or had it, the name tells less.
    assert successors(files, load + others, "b.py")["Files.load"] is None
    assert successors(files + others, load, "b.py")["Files.load"] is None
    # It says nothing of what has nothing in common.
    assert successors(files, "def load():\n    pass\n", "b.py")["Files.load"] is None


@pytest.mark.anyio
async def test_what_is_rewritten_in_its_place_is_followed_without_history(
    repository: Repository, run: Run, talk: Talk
) -> None:
    one, other = NEIGHBOURS
    repository.write("m.py", one + LOAD + other)
    repository.commit()
    await run()
    await talk.say("load")
    repository.write("m.py", one + READ + other)
    await run()

    found = (await talk.labels())["load"]

    assert (found.status, found.moved_to_name, found.changed) == ("moved", "read", True)


def test_a_name_that_changed_as_others_did_is_as_good_as_the_same() -> None:
    schemas = [
        f"class {name}Schema:\n    def {name.lower()}(self):\n        return self.all('{name}', 1, 2, 3)\n\n\n"
        for name in ("User", "Order")
    ]
    third = "class CartSchema:\n    def cart(self, lines):\n        return [line.dump() for line in lines]\n\n\n"
    other = "class CartSerializer:\n    def carts(self):\n        yield from (dump(each) for each in self.open())\n"
    before = "".join(schemas).replace("Schema", "Serializer") + other

    found = successors(before, third + "".join(schemas))

    assert found["CartSerializer"] == "CartSchema"
    assert find_successors(read("a.py", other), read("a.py", third))[0].definition is None


EQUALS = """
class NAME {
  @Override public boolean equals(Object o) {
    if (this == o) return true;
    if (o == null || getClass() != o.getClass()) return false;
    NAME other = (NAME) o;
    return FIELDS;
  }
}
"""


def test_a_method_that_every_class_has_is_not_another_classes() -> None:
    fields = "name.equals(other.name) && value.equals(other.value) && flags == other.flags"
    old = read("Error.java", EQUALS.replace("NAME", "ServerError").replace("FIELDS", "code == other.code"))[1]
    new = read("Header.java", EQUALS.replace("NAME", "Header").replace("FIELDS", fields))[1]
    assert find_successors([old], [new])[0].definition is None


METHODS = """
    def {0}_open(self, path):
        stream = self.files.open(path, "r")
        return self.kept.setdefault(path, stream)

    def {0}_close(self, path):
        if path in self.kept:
            self.kept.pop(path).close()

    def {0}_sizes(self, paths):
        return [self.files.size(path) for path in paths if path in self.kept]
"""


def test_a_class_goes_where_its_members_went() -> None:
    before = "class Pool:\n    LIMIT = 3\n" + METHODS.format("pool")
    table = ", ".join(f"{number}: name_{number}" for number in range(50))
    [lost, *_] = read("a.py", before)
    came = read("b.py", f"class PoolOfFiles(Base):\n    NAMES = {{{table}}}\n{METHODS.format('pool')}")

    assert named(find_successors(read("a.py", before), came)[0].definition) == "PoolOfFiles"
    assert find_successors([lost], came)[0].definition is None


def test_methods_that_went_together_are_found_together() -> None:
    """Each of them alone has too little in common with what it is now."""
    old = (
        "class Pool:\n"
        "    def load_plain(self, path):\n        return ssl.plain(path, self.trust, check=False)\n\n"
        "    def load_checked(self, path):\n        return [ssl.check(each) for each in self.trust.under(path)]\n\n"
        "    def load_default(self, path):\n        if not path:\n            raise ValueError(self.trust)\n"
    )
    new = (
        "class Settings:\n"
        "    def load_plain(self):\n        tls.warn(self.name)\n        return tls.plain(self.root, self.trust)\n\n"
        "    def load_checked(self):\n        return [*map(tls.test, sorted(self.trust.all()), range(9))]\n\n"
        "    def load_default(self):\n        while self.root is None:\n            yield Untrusted(self.trust)\n"
    )
    kept = "\n    def close(self):\n        self.closed = True\n"
    before, after = read("pool.py", old + kept), [*read("pool.py", f"class Pool:\n{kept}"), *read("settings.py", new)]
    side = standing(before, [each for each in after if each.file == "pool.py"])
    came = [each for each in after if each.file == "settings.py"]

    together = find_successors(side.lost, came)
    alone = [find_successors([each], came)[0] for each in side.lost]

    assert [named(each.definition) for each in together] == [
        f"Settings.{each}" for each in ("load_plain", "load_checked", "load_default")
    ]
    assert [each.definition for each in alone] == [None, None, None]


def named(definition: Definition | None) -> str | None:
    """Its qualified name."""
    return definition.qualified_name if definition else None
