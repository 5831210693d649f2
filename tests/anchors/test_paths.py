"""What the paths of files say of where a definition went: pure functions."""

from __future__ import annotations

from ragforge_memory.code.likeness import Paths
from ragforge_memory.code.successors import find_successors
from tests.anchors.definitions import only, read

DISPATCH = "dispatch(state: State) { const { index, period } = state; this.subscriber.next(index + 1); again(period) }"


def test_of_those_alike_the_one_in_a_file_of_its_words_is_what_it_was() -> None:
    names = ("range", "timer", "interval")
    classes = [f"class {name.title()}Observable {{ {DISPATCH} }}" for name in names]
    lost = [read(f"src/_{name}.ts", text)[1] for name, text in zip(names, classes, strict=True)]
    new = [only(f"src/{name}.ts", f"export function {DISPATCH}") for name in names]

    assert [each.definition for each in find_successors(lost, new)] == new


def test_where_a_file_went_says_more_than_the_words_of_its_path() -> None:
    enum = "class StrEnum(str, Enum):\n    pass\n"
    one, two, three = (
        f"def {name}(text, at):\n    found = text.{name}(at, {name!r})\n    return found + {name}_more(text)\n"
        for name in ("paint", "shade", "trace")
    )
    lost = read("app/log_enums.py", f"{one}\n\n{two}\n\n{three}\n\n{enum}")
    color = read("app/terminal/color.py", f"{one}\n\n{two}\n\n{enum}")
    others = [only("app/enums.py", enum), only("app/tracing.py", three)]

    found = find_successors(lost, [*color, *others])

    assert [each.definition for each in found] == [color[0], color[1], others[1], color[2]]


def test_words_that_all_paths_have_say_nothing_and_rare_ones_the_most() -> None:
    files = ("src/rules/noTrailingCommaRule.ts", "src/rules/trailingCommaRule.ts", "src/rules/switchDefaultRule.ts")
    paths = Paths(files)

    assert paths.likeness(files[1], files[2]) == 0.0
    assert 0.4 < paths.likeness(files[0], files[1]) < 1.0
    assert paths.likeness(files[0], files[0]) == 1.0
