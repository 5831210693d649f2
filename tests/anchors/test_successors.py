"""What a definition is known by, and where it went: pure functions."""

from __future__ import annotations

import string
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragforge_memory.anchors.definition import GONE, Successor, standing
from ragforge_memory.anchors.labels import in_place, label, settled
from ragforge_memory.anchors.successors import find_successors
from ragforge_memory.code.sketch import SIZE, decode, encode, likeness
from tests.anchors.definitions import only, read

NUMBERS = st.integers(0, (1 << 24) - 1)


@settings(deadline=None)
@given(st.sets(NUMBERS, max_size=60), st.sets(NUMBERS, max_size=60))
def test_small_scopes_are_compared_exactly(one: set[int], other: set[int]) -> None:
    union = one | other
    expected = len(one & other) / len(union) if union else 1.0
    assert likeness(decode(encode(one)), decode(encode(other))) == pytest.approx(expected)


@settings(deadline=None)
@given(st.integers(), st.integers(4 * SIZE, 8 * SIZE), st.floats(0.2, 0.9))
def test_large_scopes_are_estimated(seed: int, count: int, share: float) -> None:
    """Within five standard errors."""
    features = Random(seed).sample(range(1 << 24), count)
    kept = features[: int(count * share)]
    estimate = likeness(decode(encode(set(features))), decode(encode(set(kept))))
    assert estimate == pytest.approx(len(kept) / count, abs=0.22)


NAMES = st.lists(st.sampled_from(string.ascii_lowercase[:8]), min_size=1, max_size=6)


@settings(deadline=None)
@given(NAMES, NAMES, st.booleans())
def test_the_assignment_is_one_to_one(old: list[str], new: list[str], same_file: bool) -> None:
    """However alike they are, no two take the same successor, and none is taken of several that are equally good."""

    def text(names: list[str]) -> str:
        return "\n".join(f"def {name}_{place}(a, b):\n    return a + {name}(b)\n" for place, name in enumerate(names))

    lost, there = read("a.py", text(old)), read("a.py" if same_file else "b.py", text(new))
    found = [each.definition for each in find_successors(lost, there) if each.definition is not None]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("path", "before", "after", "status"),
    [
        ("a.py", "def f():\n    return 1\n", 'def f():\n    "It says so."\n    return 1\n', "drifted"),
        ("a.py", "def f():\n    return 1\n", "@cached\ndef f():\n    return 1\n", "drifted"),
        ("a.ts", "function f() { return 1 }\n", "export function f() { return 1 }\n", "drifted"),
        ("A.java", "class A { int f() { return 1; } }\n", "class A { /* one */ int f() {\nreturn 1; } }\n", "fresh"),
        ("a.go", "package a\n\ntype T struct { A int }\n", "package a\n\ntype (\n\tT struct { A int }\n)\n", "fresh"),
    ],
)
def test_what_counts_as_a_change(path: str, before: str, after: str, status: str) -> None:
    made = only(path, before)
    assert label(made, in_place(made, read(path, after))).status == status


def test_of_several_of_one_name_the_one_with_the_same_tokens_stands() -> None:
    source = "if x:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n"
    first, second = read("a.py", source)
    turned = read("a.py", source.replace("1", "3").replace("2", "1").replace("3", "2"))

    assert in_place(first, turned) == turned[1]
    assert [(a.key, b.key) for a, b in standing([first, second], turned).kept] == [("f", "f#2"), ("f#2", "f")]


def test_a_rename_decides_nothing_between_two_files_that_hold_the_same() -> None:
    text = "def work(a, b):\n    total = a + b\n    return total * 2\n"
    changed = "def work(a, b):\n    total = a + b + 1\n    return total * 2\n"
    lost, one, other = [only("m.py", text)], only("o.py", text), only("q.py", text)

    undecided = find_successors(lost, [one, other], renamed={"m.py": "o.py"})
    decided = find_successors(lost, [one, only("q.py", changed)], renamed={"m.py": "o.py"})

    assert [(each.definition, set(each.candidates)) for each in undecided] == [(None, {one, other})]
    assert [each.definition for each in decided] == [one]


def test_a_rename_decides_between_two_files_where_more_went_the_same_way() -> None:
    text = "def work(a, b):\n    total = a + b\n    return total * 2\n"
    lost = [only(f"cases/{number}/data/m.py", text) for number in (1, 2)]
    new = [only(f"by_topic/{name}/data/m.py", text) for name in ("dates", "names")]
    files = {lost[0].file: new[1].file, lost[1].file: new[0].file}
    along = {"cases/1/test_1.py": "by_topic/names/test_names.py", "cases/2/test_2.py": "by_topic/dates/test_dates.py"}

    alone = find_successors(lost, new, renamed=files)
    told = find_successors(lost, new, renamed=files | along)

    assert [each.definition for each in alone] == [None, None]
    assert [each.definition for each in told] == [new[1], new[0]]


def test_a_name_that_underscores_alone_tell_apart_decides_between_two_that_are_nearly_as_good() -> None:
    body = (
        "    c = command(exact(2), WITHOUT)\n    output, error = execute(c, 'a', 'b', 'c')\n    check(error, output)\n"
    )
    lost = [only("a_test.py", "def test_exact_args_with_invalid_count():\n" + body)]
    name = only(
        "a_test.py", "def test_exact_argsWith_invalid_count():\n    c = command(exact(2), WITHOUT)\n    check(c)\n"
    )
    tokens = only(
        "a_test.py", "def exact_args_with_count(error, t):\n" + body.replace("check", "t.check").replace("WITHOUT", "t")
    )

    [found] = find_successors(lost, [tokens, name])

    assert found.definition == name


PHRASE = """
def get_reason_phrase(status_code: int) -> str:
    try:
        return http.HTTPStatus(status_code).phrase
    except ValueError as exc:
        return ""
"""
METHOD = '''
class StatusCode(IntEnum):
    @classmethod
    def get_reason_phrase(cls, value: int) -> str:
        """The phrase of a code."""
        try:
            return StatusCode(value).phrase
        except ValueError:
            return ""

    @classmethod
    def is_redirect(cls, value: int) -> bool:
        return value in (StatusCode.MOVED_PERMANENTLY, StatusCode.FOUND, StatusCode.SEE_OTHER)
'''


def test_what_nothing_else_is_like_may_have_been_rewritten_on_its_way() -> None:
    lost, new = [only("utils.py", PHRASE)], read("status_codes.py", METHOD)
    rival = only("lookup.py", METHOD.replace("class StatusCode(IntEnum)", "class Lookup").replace("StatusCode", "Code"))

    [alone] = find_successors(lost, new)
    [two] = find_successors(lost, [*new, *read("lookup.py", METHOD.replace("StatusCode", "Code")), rival])
    [other] = find_successors(lost, [each for each in new if each.name != "get_reason_phrase"])

    assert alone.definition is not None
    assert alone.definition.qualified_name == "StatusCode.get_reason_phrase"
    assert (two.definition, other.definition) == (None, None)


def test_history_goes_before_the_two_ends_where_it_knows() -> None:
    lost, other, more = (only("a.py", f"def {name}():\n    return {name}(1)\n") for name in ("f", "g", "h"))
    now = {(each.file, each.key): each for each in (other, more)}

    assert settled(lost, Successor(other, 0.9), Successor(more), now).definition == more
    assert settled(lost, Successor(other, 0.9), None, now).definition == other
    assert settled(lost, Successor(other, 0.9), GONE, now).definition is None
    again = replace(lost, file="b.py")
    assert settled(lost, Successor(again, 0.9), GONE, now).definition == again
    assert settled(lost, Successor(again, 0.9), GONE, now, twin=True).definition is None
    assert settled(lost, Successor(other, 0.9), Successor(None, 0.9, (other, more)), now).definition == other


@pytest.mark.parametrize(("twin", "told"), [(False, ("b.py",)), (True, ())])
def test_of_what_history_knows_to_be_gone_no_other_is_a_candidate(twin: bool, told: tuple[str, ...]) -> None:
    lost, other = (only("a.py", f"def {name}():\n    return {name}(1)\n") for name in ("f", "g"))
    unclear = Successor(None, 0.9, (other, replace(lost, file="b.py")))

    found = settled(lost, unclear, GONE, {}, twin=twin)

    assert (found.definition, tuple(each.file for each in found.candidates)) == (None, told)


def test_what_was_ported_before_it_was_cut_is_found_by_a_name_that_says_something() -> None:
    text = "def {0}(environ):\n    assert pop(environ) == peek(environ)\n    assert not environ\n"
    ported = "class PathTests(TestCase):\n" + text.replace("\n  ", "\n      ").replace("def", "    def")
    found = []
    for name in ("test_pop_path", "test_pop"):
        lost, [_, now] = only("test_path.py", text.format(name)), read("suite/path.py", ported.format(name))
        ends = Successor(now, 0.9)
        found.append(settled(lost, ends, GONE, {}).definition == now)
        assert settled(lost, replace(ends, similarity=0.4), GONE, {}).definition is None

    assert found == [True, False]


def test_a_function_that_is_wrapped_is_what_is_inside() -> None:
    made = only(
        "a.js",
        "function defaultParser(req, body, done) {\n  if (!body) { return done(empty()) }\n"
        "  try { var json = parse(body) } catch (err) { return done(err, undefined) }\n  done(null, json)\n}\n",
    )
    new = read(
        "a.js",
        "function getDefaultParser(limit, action) {\n  return defaultParser\n\n"
        "  function defaultParser(req, body, done) {\n    if (!body) { return done(empty()) }\n"
        "    try { var json = safe(body, { limit, action }) } catch (err) { err.code = 400; return done(err, undefined)"
        " }\n    done(null, json)\n  }\n}\n",
    )

    [went] = find_successors([made], new)

    assert went.definition is not None
    assert went.definition.qualified_name == "getDefaultParser.defaultParser"


def test_methods_of_a_class_that_is_taken_apart_into_functions_are_found_in_many_files() -> None:
    names = ("isAlpha", "isAscii", "isBase64", "isHexColor", "isJWT", "isMilitaryTime")
    method = "{0}(value: unknown): boolean {{ return typeof value === 'string' && this.lib.{0}(value); }}"
    clock = "{0}(value: unknown): boolean {{ return this.matches(value, /^([01]\\d|2[0-3]):?([0-5]\\d)$/); }}"
    alone = clock.replace("return ", "return typeof value === 'string' && ").replace("|2[0-3]", "")
    members = " ".join((clock if name == names[-1] else method).format(name) for name in names)
    lost = read("Validator.ts", f"class Validator {{ {members} }}")
    bodies = {name: (alone if name == names[-1] else method).format(name).replace("this.", "") for name in names}
    new = [only(f"string/{name}.ts", f"export function {body}") for name, body in bodies.items()]

    found = find_successors(lost, new)

    assert [each.definition for each in found[1:]] == new


def test_a_function_goes_with_the_one_that_was_all_it_held() -> None:
    body = (
        "(target: Target, key: string, receiver: object) {{ if (key === Flags.IS_READONLY) return {0}; const result = "
        "Reflect.get(target, key, receiver); track(target, key); return {0} ? result : reactive(result) }}"
    )
    held = f"function createGetter(isReadonly = false) {{ return function get{body.format('isReadonly')} }}"
    more = held.replace(
        "return function",
        "const seen = new Map(); for (const each of all(handlers, targets)) { "
        "seen.set(each.name, proxies.get(each)); warn(`created ${each.name}`, seen) } "
        "if (!seen.size || isServer()) { return inert(seen, handlers, targets) } return function",
    )
    [*_, now] = read("a.ts", f"class Handler {{ get{body.format('this.readonly')} }}")

    assert [each.definition for each in find_successors(read("a.ts", held), [now])] == [now, now]
    assert [each.definition for each in find_successors(read("a.ts", more), [now])] == [None, now]
