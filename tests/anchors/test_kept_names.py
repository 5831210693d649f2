"""What kept its qualified name where its file went is it, as it would be in the file itself."""

from __future__ import annotations

from ragforge_memory.anchors.definition import Definition
from ragforge_memory.anchors.evidence import Siblings
from ragforge_memory.anchors.successors import find_successors
from tests.anchors.definitions import only, read

OTHERS = "\n\n".join(
    f"def {name}(stream, at):\n    found = stream.{name}(at, {name!r})\n    return found + {name}_more(stream)\n"
    for name in ("paint", "shade", "trace")
)
BODY = """\
    token = self.stream.expect("lparen")
    found, require_comma = [], False
    while self.stream.current.type != "rparen":
        if require_comma:
            self.stream.expect("comma")
        found.append(self.parse_expression(token.lineno))
        require_comma = True
    self.stream.expect("rparen")
"""
CALL = f"def parse_call(self, node):\n{BODY}    return Call(node, found, lineno=token.lineno)\n"
ARGS = f"def parse_call_args(self):\n{BODY}    return found\n"
ANEW = "def parse_call(self, node):\n    return Call(node, self.parse_call_args(), lineno=self.lineno)\n"


def found(lost: list[Definition], new: list[Definition]) -> dict[str, str | None]:
    """By name where each went, as ``file:name``."""
    ends = (each.definition for each in find_successors(lost, new))
    return {old.name: now and f"{now.file}:{now.qualified_name}" for old, now in zip(lost, ends, strict=True)}


def test_in_a_file_that_is_renamed_the_very_name_says_more_than_most_of_the_body() -> None:
    """No rename is told: what else kept its name tells it."""
    lost, new = read("parser.py", OTHERS + "\n\n" + CALL), read("src/parser.py", OTHERS + "\n\n" + ARGS + "\n\n" + ANEW)

    assert found(lost, new)["parse_call"] == "src/parser.py:parse_call"
    # Of a file that went elsewhere the name alone says nothing.
    there = [*read("src/parser.py", OTHERS + "\n\n" + ARGS), only("docs/parser.py", ANEW)]
    assert found(lost, there)["parse_call"] == "src/parser.py:parse_call_args"


def test_the_very_tokens_say_more_than_the_very_name() -> None:
    renamed = CALL.replace("def parse_call", "def parse_call_here")
    lost, new = read("parser.py", OTHERS + "\n\n" + CALL), read("src/parser.py", OTHERS + "\n\n" + renamed + ANEW)

    assert found(lost, new)["parse_call"] == "src/parser.py:parse_call_here"


def test_what_is_a_constant_in_the_directory_of_its_file_is_what_was_a_function() -> None:
    was = (
        "export function redux(reducer, initial) { return create((set, get, api) => { "
        "api.dispatch = action => set(reducer(get(), action)); return initial }) }\n"
    )
    now = (
        "const reduxImpl = (...given) => { for (const each of given) { if (!each.known()) { warn(each.name) } } }\n"
        "export const redux = reduxImpl as unknown as Redux\n"
    )
    lost = [only("src/middleware.ts", was)]

    assert found(lost, read("src/middleware/redux.ts", now)) == {"redux": "src/middleware/redux.ts:redux"}
    assert found(lost, read("src/other/redux.ts", now)) == {"redux": None}
    # Of two none is taken.
    twice = [*read("src/middleware/redux.ts", now), *read("src/middleware/more.ts", "export const redux = more.redux")]
    assert found(lost, twice) == {"redux": None}


def test_a_file_that_still_stands_is_not_the_directory_of_its_name() -> None:
    lost = read("src/config.ts", "export function timeout(start, most) { return Date.now() - start > most }\n")
    kept = read("src/config.ts", "export function parse(text) { return JSON.parse(text) }\n")
    values = ", ".join(f"{name}: {{ first: '{name}', again: {len(name)}00 }}" for name in ("read", "write", "connect"))
    new = read("src/config/client.ts", f"export const timeout = {{ {values} }}\n")

    def ends(siblings: Siblings) -> list[Definition | None]:
        return [each.definition for each in find_successors(lost, new, siblings=siblings)]

    assert ends(Siblings([*lost, *kept], [*kept, *new], [(kept[0], kept[0])])) == [None]
    assert ends(Siblings(lost, new)) == new


def test_what_is_another_kind_of_thing_is_it_where_its_file_went() -> None:
    fixture = "def test_env():\n    return Environment(loader=DictLoader(modules))\n"
    lost = read("testsuite/imports.py", OTHERS + "\n\ntest_env = Environment(loader=DictLoader(modules))\n")

    new = read("tests/test_imports.py", OTHERS + "\n\n" + fixture)
    assert found(lost, new)["test_env"] == "tests/test_imports.py:test_env"
    away = [*read("tests/test_imports.py", OTHERS), only("tests/conftest.py", fixture)]
    assert found(lost, away)["test_env"] is None


def test_an_alias_of_its_name_is_not_what_was_called_so() -> None:
    lost = read("parser.py", OTHERS + "\n\n" + CALL)
    new = read("src/parser.py", OTHERS + "\n\nparse_call = parse_anything\n")

    assert found(lost, new)["parse_call"] is None
