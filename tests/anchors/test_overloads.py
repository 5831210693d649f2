"""Several definitions of one name in one file: what becomes of each where one of them goes."""

from __future__ import annotations

import pytest

from ragforge_memory.anchors.definition import standing
from tests.anchors.conftest import Cypher, Repository, Run, Talk
from tests.anchors.definitions import read

pytestmark = pytest.mark.anyio

JOINED = "MATCH (s:Scope {project: $project, file: $file, name: 'join'}) RETURN s.uuid AS uuid ORDER BY s.startLine"

# A file, what is around its definitions of one name, these, and an edit of the last one.
JOINS = {
    "java": (
        "Joins.java",
        ("class Joins {\n", "}\n"),
        (
            "    String join(String one, String two) {\n        return one + separator + two;\n    }\n",
            "    int join(int[] all) {\n        int sum = 0;\n        for (int a : all) sum += a;\n"
            "        return sum;\n    }\n",
            "    void join() {\n        thread.join(1000);\n    }\n",
        ),
        ("1000", "2000"),
    ),
    "python, a property": (
        "joins.py",
        ("class Joins:\n", ""),
        (
            "    @join.setter\n    def join(self, value):\n        self._one, self._two = value.split(' ')\n",
            "    @property\n    def join(self):\n        return f'{self._one} {self._two}'\n",
            "    @join.deleter\n    def join(self):\n        del self._one\n",
        ),
        ("_one", "_two"),
    ),
}


class Overloads:
    """The definitions of one name, each with a message of its own."""

    def __init__(self, repository: Repository, run: Run, talk: Talk, case: str) -> None:
        self._repository, self._run, self._talk = repository, run, talk
        self.file, self.around, self.texts, self.edit = JOINS[case]

    async def begin(self, cypher: Cypher) -> None:
        """All are there, and spoken of."""
        await self.write(*self.texts, commit=True)
        scopes = cypher(JOINED, file=self.file)
        self._said = [await self._talk.say(each["uuid"]) for each in scopes]
        assert len(self._said) == len(self.texts)

    async def write(self, *texts: str, commit: bool = False) -> None:
        """These are there now."""
        self._repository.write(self.file, self.around[0] + "".join(texts) + self.around[1])
        if commit:
            self._repository.commit()
        await self._run()

    async def found(self) -> list[tuple[str | None, str]]:
        """Of each message the label, and the line that its tie leads to, with a decorator."""
        ties = await self._talk.references.of_messages(self._said)
        lines = (self._repository.root / self.file).read_text(encoding="utf-8").splitlines()
        found = []
        for uuid in self._said:
            [tie] = ties[uuid]
            assert tie.changed is (None if tie.status == "orphaned" else tie.status == "drifted")
            at = len(lines) if tie.now_line is None else tie.now_line - 1
            is_decorated = lines[at : at + 1] and lines[at].strip().startswith("@")
            found.append((tie.status, "\n".join(lines[at : at + (2 if is_decorated else 1)])))
        return found


@pytest.fixture
async def overloads(
    request: pytest.FixtureRequest, repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> Overloads:
    made = Overloads(repository, run, talk, request.param)
    await made.begin(cypher)
    return made


each_language = pytest.mark.parametrize("overloads", JOINS, indirect=True)


@each_language
async def test_where_one_goes_its_tie_stands_on_what_carries_on(overloads: Overloads) -> None:
    one, two, three = overloads.texts
    (_, first), (_, second), (_, third) = await overloads.found()
    went = set()
    for more in ("", "\n"):
        await overloads.write(one, three, more)
        [mine, gone, last] = await overloads.found()
        assert (mine, last) == (("fresh", first), ("fresh", third))
        went.add(gone)
    assert went in ({("drifted", first)}, {("drifted", third)})
    await overloads.write(three, commit=True)
    assert await overloads.found() == [("drifted", third), ("drifted", third), ("fresh", third)]
    await overloads.write(two, one, three)
    assert await overloads.found() == [("fresh", first), ("fresh", second), ("fresh", third)]


@each_language
async def test_where_one_goes_and_the_last_changes_the_last_is_what_it_was(overloads: Overloads) -> None:
    _, two, three = overloads.texts
    _, (_, second), (_, third) = await overloads.found()
    changed = three.replace(*overloads.edit)
    for commit in (False, True):
        await overloads.write(two, changed, commit=commit)
        assert (await overloads.found())[1:] == [("fresh", second), ("drifted", third.replace(*overloads.edit))]


@pytest.mark.parametrize("overloads", ["java"], indirect=True)
async def test_where_all_go_each_is_orphaned(overloads: Overloads) -> None:
    await overloads.write("")
    assert {status for status, _ in await overloads.found()} == {"orphaned"}


@pytest.mark.parametrize("overloads", ["java"], indirect=True)
async def test_one_that_is_called_otherwise_now_is_followed_there(overloads: Overloads, talk: Talk) -> None:
    one, two, three = overloads.texts
    await overloads.write(one, two, three.replace(" join(", " join_all("))

    ties = await talk.references.of_conversation(talk.conversation_id)
    assert [(tie.status, tie.moved_to_name) for tie in ties] == [
        ("fresh", None),
        ("fresh", None),
        ("moved", "Joins.join_all"),
    ]


def test_of_many_that_have_one_name_each_is_paired_in_order() -> None:
    text = "".join(f"def f():\n    return {number}\n\n\n" for number in range(90))
    before, after = read("a.py", text), read("a.py", text.replace("return ", "return -"))
    assert [(old.key, new.key) for old, new in standing(before, after).kept] == [(each.key,) * 2 for each in before]
