"""Names that are freed and taken in one change, and definitions of one name in one file."""

from __future__ import annotations

import pytest

from tests.anchors.conftest import Cypher, Repository, Run, Talk

pytestmark = pytest.mark.anyio

PROCESS = """\
def process(items, log):
    total = 0
    for item in items:
        total += item.price
        log.info("item %s", item)
    return total


def process_new(items, log, *, tax=0):
    total = 0
    for item in items:
        total += item.price * (1 + tax)
        log.debug("item %s", item.name)
    return round(total, 2)
"""
HOMES = """\
if windows:

    def home(user):
        return expand(user)

else:

    def home(user):
        return expand(user)
"""


async def test_a_twin_of_what_has_changed_is_not_taken_for_it(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    repository.write("bank.py", HOMES)
    repository.commit("homes")
    await run()
    scopes = cypher("MATCH (s:Scope {project: $project, name: 'home'}) RETURN s.uuid AS uuid ORDER BY s.startLine")
    await talk.say(scopes[1]["uuid"])
    at = HOMES.rindex("expand(user)")
    for text in (HOMES[:at] + "expand(user) or '/root'\n", HOMES[:at] + "expand(user) or '/root'\n\n\nMORE = 1\n"):
        repository.write("bank.py", text)
        await run()
        (reference,) = await talk.references.of_conversation(talk.conversation_id)
        assert (reference.status, (reference.now_line or 0) > 5) == ("drifted", True)
    repository.write("bank.py", HOMES)
    await run()
    (reference,) = await talk.references.of_conversation(talk.conversation_id)
    assert reference.status == "fresh"


async def test_what_was_only_written_anew_elsewhere_is_not_what_went(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    made = "class Store:\n    def request(self, env):\n        return Request(env)\n"
    repository.write("store.py", made)
    repository.write("events.py", made.replace("Store", "Events").replace("(env)", "(env, )"))
    repository.commit("both")
    await run()
    [scope] = cypher("MATCH (s:Scope {project: $project, name: 'request', file: 'store.py'}) RETURN s.uuid AS uuid")
    await talk.say(scope["uuid"])
    repository.git("rm", "-q", "store.py")
    repository.edit("events.py", ("(env, )", "(env)"))
    repository.commit("one is gone, and the other written as it was")
    await run()
    (reference,) = await talk.references.of_conversation(talk.conversation_id)
    assert (reference.status, reference.candidates) == ("orphaned", ())


FIRST = """\
def first(x):
    y = x + 1
    for i in range(y):
        print(i, x, y)
    return y * 10


"""
SECOND = """\
def second(path):
    with open(path) as file:
        data = file.read()
    if not data:
        raise ValueError(path)
    return data.split()
"""
CLASSES = """\
class Reader:
    def run(self, path):
        with open(path) as file:
            return file.read()

    def name(self):
        return "reader"


class Writer:
    def run(self, path, text):
        self.count = self.count + len(text)
        path.write_text(text + "end")
        return self.count

    def name(self):
        return "writer"
"""


async def _went(
    before: str, after: dict[str, str], repository: Repository, run: Run, talk: Talk, *names: str, committed: bool
) -> dict[str, tuple[str, str | None, bool | None]]:
    """What became of names in a change: label, name, and whether the tokens are others."""
    repository.write("bank.py", before)
    repository.commit("before")
    await run()
    await talk.say(*names)
    for path, text in after.items():
        repository.write(path, text)
    if committed:
        repository.commit("after")
    await run()
    first = {name: (each.status, each.moved_to_name, each.changed) for name, each in (await talk.labels()).items()}
    repository.append("bank.py", "\n\nMORE = 1\n")
    await run()
    again = {name: (each.status, each.moved_to_name, each.changed) for name, each in (await talk.labels()).items()}
    assert again == first
    repository.write("bank.py", before)
    for path in after.keys() - {"bank.py"}:
        (repository.root / path).unlink()
    await run()
    assert {each.status for each in (await talk.labels()).values()} == {"fresh"}
    return first


@pytest.mark.parametrize(
    ("before", "names", "committed"),
    [
        (PROCESS, {"process_new": "process", "process": "process_old"}, False),
        (FIRST + SECOND, {"first": "second", "second": "first"}, True),
    ],
)
async def test_what_has_another_name_is_found_where_its_own_was_taken(
    before: str, names: dict[str, str], committed: bool, repository: Repository, run: Run, talk: Talk
) -> None:
    after = before
    for name in names:
        after = after.replace(f"def {name}(", f"def {name}\0(")
    for name, new in names.items():
        after = after.replace(f"{name}\0(", f"{new}(")
    went = await _went(before, {"bank.py": after}, repository, run, talk, *names, committed=committed)
    assert went == {name: ("moved", new, False) for name, new in names.items()}


async def test_what_left_a_wrapper_of_its_name_behind_is_where_its_tokens_are(
    repository: Repository, run: Run, talk: Talk
) -> None:
    wrapper = (
        "from m import second as _second\n\n\ndef second(path, *, cache=None):\n    return cache or _second(path)\n"
    )
    after = {"bank.py": wrapper, "m.py": SECOND}
    went = await _went(SECOND, after, repository, run, talk, "second", committed=True)
    assert went == {"second": ("moved", "second", False)}


async def test_classes_whose_names_were_swapped_are_told_as_their_methods_are(
    repository: Repository, run: Run, talk: Talk
) -> None:
    after = CLASSES.replace("class Reader", "\0").replace("class Writer", "class Reader").replace("\0", "class Writer")
    after += "\n    def more(self):\n        return 1\n"
    names = ("Reader", "Writer", "Reader.run", "Writer.run")
    went = await _went(CLASSES, {"bank.py": after}, repository, run, talk, *names, committed=True)
    assert went == {
        "Reader.run": ("moved", "Writer.run", False),
        "Writer.run": ("moved", "Reader.run", False),
        "Reader": ("moved", "Writer", False),
        "Writer": ("moved", "Reader", True),
    }


async def test_what_is_kept_beside_it_as_it_was_is_a_copy(repository: Repository, run: Run, talk: Talk) -> None:
    after = SECOND.replace("raise ValueError", "raise KeyError") + "\n\n" + SECOND.replace("second", "old_second")
    went = await _went(SECOND, {"bank.py": after}, repository, run, talk, "second", committed=True)
    assert went == {"second": ("drifted", None, True)}


async def test_what_was_renamed_and_removed_shows_again_under_its_first_name(
    repository: Repository, run: Run, talk: Talk
) -> None:
    repository.write("one.py", SECOND)
    repository.commit("one")
    await run()
    await talk.say("second")
    for path, text in {"one.py": SECOND.replace("second", "other"), "none": "", "two.py": SECOND}.items():
        (repository.root / "one.py").unlink(missing_ok=True)
        repository.write(path, text)
        repository.commit(path)
        await run()
    reference = (await talk.labels())["second"]
    assert (reference.status, reference.moved_to_file, reference.changed) == ("moved", "two.py", False)
