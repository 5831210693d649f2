"""What the paths of files say of where a definition went, for want of a history."""

from __future__ import annotations

import pytest

from ragforge_memory.anchors.successors import find_successors
from tests.anchors.conftest import Repository, Run, Talk
from tests.anchors.definitions import only, read

pytestmark = pytest.mark.anyio

DISPATCH = "dispatch(state: State) { const { index, period } = state; this.subscriber.next(index + 1); again(period) }"


NAMES = ("range", "timer", "interval")
CLASSES = [f"class {name.title()}Observable {{ {DISPATCH} }}" for name in NAMES]
FUNCTION = f"export function {DISPATCH}"


def test_of_those_alike_the_one_in_a_file_of_its_words_is_what_it_was() -> None:
    lost = [read(f"src/_{name}.ts", text)[1] for name, text in zip(NAMES, CLASSES, strict=True)]
    new = [only(f"src/{name}.ts", FUNCTION) for name in NAMES]

    assert [each.definition for each in find_successors(lost, new, by_paths=True)] == new
    assert [each.definition for each in find_successors(lost, new)] == [None, None, None]


async def test_where_no_commit_lies_between_code_is_found_by_the_words_of_its_path(
    repository: Repository, run: Run, talk: Talk
) -> None:
    for name, text in zip(NAMES, CLASSES, strict=True):
        repository.write(f"src/_{name}.ts", text)
    await run()
    await talk.say(*(f"{name.title()}Observable.dispatch" for name in NAMES))
    for name in NAMES:
        (repository.root / f"src/_{name}.ts").unlink()
        repository.write(f"src/{name}.ts", FUNCTION)
    await run()

    found = await talk.labels()

    assert sorted((each.status, each.moved_to_file) for each in found.values()) == [
        ("moved", "src/interval.ts"),
        ("moved", "src/range.ts"),
        ("moved", "src/timer.ts"),
    ]


def test_where_a_file_went_says_more_than_the_words_of_its_path() -> None:
    enum = "class StrEnum(str, Enum):\n    pass\n"
    one, two, three = (
        f"def {name}(text, at):\n    found = text.{name}(at, {name!r})\n    return found + {name}_more(text)\n"
        for name in ("paint", "shade", "trace")
    )
    lost = read("app/log_enums.py", f"{one}\n\n{two}\n\n{three}\n\n{enum}")
    color = read("app/terminal/color.py", f"{one}\n\n{two}\n\n{enum}")
    others = [only("app/enums.py", enum), only("app/tracing.py", three)]

    found = find_successors(lost, [*color, *others], by_paths=True)

    assert [each.definition for each in found] == [color[0], color[1], others[1], color[2]]
