"""Answers that lines of text prove: where a thing is raised, imported or tested, and what stands for its uses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.endings import is_text
from ragforge_memory.language.reading.targets import Target, spelled
from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.code.import_lines import alone_pattern, import_pattern, imports_it, parts_of
from ragforge_memory.llm.extractive.code.members import MAX_LINES, sets_by_itself, texts_last
from ragforge_memory.llm.extractive.code.unread import is_part_read, unread_lines
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import (
    left_out,
    nothing,
    rest,
    subject,
    taken_for,
    text_line,
    trimmed,
)
from ragforge_memory.models.text import counted
from ragforge_memory.text.names import is_aside, is_test, of_test, stands_aside

MAX_EVIDENCE = 40
"""Lines or scopes that are listed."""

LATE = "There was no time to look at all files"
_SURE = ("callers", "references", "decorates", "subclasses", "top_level")
_USES = (*_SURE, "possible")


# What stands before a statement, or before what is one in the middle of a line: `or raise X`, `?? throw new X`.
STATEMENT = r"(?:^|[;{}():?|&>]|\b(?:else|or|and|return|then|do|try)\b)"
RAISE = r"\b(?:raise|throw)\b(?!\s*[=.,)])"

COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|<!--)")
# What may stand before a name: its module or namespace, PHP's from the outermost on.
_QUALIFIED = r"\\?(?:\w+(?:\.|::|\\))*"


def raising(target: Target) -> Call:
    """Looks for lines that name it in a statement that raises or throws: it, or what is made of it (`cast(It, x)`).

    Behind ``from`` stands its cause, and behind ``if`` and ``unless`` when; `raise A if late else B` raises either.
    """
    named = r"(?:(?!\bfrom\b|\bunless\b|\bif\b(?!.*\belse\b))[^;}])*"
    return grep(rf"{STATEMENT}\s*{RAISE}{named}\b{re.escape(target.member)}\b", code_only=True)


def catching(target: Target) -> Call:
    """Looks for lines that catch it."""
    return grep(
        rf"(?:^\W*(?:except|rescue)\b|\b(?:catch|suppress)\s*\().*\b{re.escape(target.member)}\b", code_only=True
    )


def decorating(target: Target) -> Call:
    """Looks for lines that decorate or annotate with it: ``@app.cached(3)``, ``#[cached]``, ``[Cached]``."""
    return grep(rf"^\s*(?:@|#!?\[|\[)\s*{_QUALIFIED}{re.escape(target.member)}\b")


def importing(target: Target) -> Call:
    """Looks for lines that import it: by its whole path, from its module (dots for the own package), or alone."""
    alone = alone_pattern(target)
    return grep(f"{import_pattern(target)}|{alone}" if alone else import_pattern(target))


def testing(target: Target) -> Call:
    """Looks for lines of tests that name it."""
    last = (parts_of(target) or [target.text])[-1]
    return grep(rf"(?<![A-Za-z0-9]){re.escape(last)}(?![A-Za-z0-9])", path="test")


def naming(target: Target) -> tuple[Call, ...]:
    """Looks for lines that name what nothing in the project is defined as."""
    parts = parts_of(target)
    if not parts:
        return ()
    calls = [grep(rf"\b{re.escape(parts[-1])}\b")]
    if len(parts) > 1:
        # Lines that name a member tell of it only where what it would be a member of exists.
        calls.append(Call("read_scope", (("name", target.before(parts[-1])), ("include_source", False))))
    return tuple(calls)


def raised(asked: str, found: Sequence[Found], done: str = "raised", does: str = "raises") -> list[str]:
    """The lines that raise it (or catch it, or decorate with it), each with what it stands in."""
    lines = matches_of(found)
    # Which error a variable has no line says.
    more = ["What is raised without its name (`raise error`, `throw make()`) may be more of it."] * (done == "raised")
    if not lines:
        none = _none(asked, found, f"no line of this project {does} it{' by its name' if more else ''}")
        return [none, *more] if _is_known(found) else [none]
    inside = _scopes_of_lines(found)
    answer = [f"{_named(asked, found)} is {done} in {counted_lines(lines, found)}:"]
    return [*answer, *listed_lines(lines, found, inside), *more]


def imported(asked: str, target: Target, found: Sequence[Found]) -> list[str]:
    """The lines of code that import it; lines that have it alone, as an import over several lines has, and texts that
    show an import of it, apart."""
    asked = asked.lstrip("/")
    alone = alone_pattern(target)
    lines = [each for each in matches_of(found) if imports_it(target, each["file"], each["text"])]
    value = _value(found, "find_imports")
    followed = value.get("importers") or []
    # An import over several lines is one: what stands alone in a line of it, or its end, is no other.
    sure = {
        (each["file"], at) for each in followed for at in range(each["line"], each.get("end_line", each["line"]) + 1)
    }
    if followed and value["file"] and not value["late"]:
        # What means the file itself is known: lines that only look so are of another one.
        lines = [each for each in lines if is_text(each)]
    lines = texts_last([*followed, *(each for each in lines if (each["file"], each["line"]) not in sure)])
    shown = [each for each in lines if is_text(each)]
    code = [each for each in lines if each not in shown]
    perhaps = [
        each for each in code if alone and re.search(alone, each["text"]) and (each["file"], each["line"]) not in sure
    ]
    certain = [each for each in code if each not in perhaps]
    answer = [] if certain or perhaps else [f"{NOTHING_FOUND} that imports `{asked}` in the code of this project."]
    if certain:
        answer += [f"`{asked}` is imported in {counted_lines(certain, found)}:", *listed_lines(certain, found)]
    if perhaps:
        answer += [f"It stands alone in {counted_lines(perhaps, found)}, as in an import over several lines:"]
        answer += listed_lines(perhaps, found)
    if shown:
        answer += [
            f"Texts that are no code have such a line in {counted_lines(shown, found)}:",
            *listed_lines(shown, found),
        ]
    if value.get("late"):
        answer.append(f"{LATE}: others may import it too.")
    return answer


def tested(asked: str, found: Sequence[Found]) -> list[str]:
    """The tests that use it, by the graph; else the lines of tests that name it; else that there are none."""
    value = _value(found, "find_callers")
    answer: list[str] = []
    for scope in value.get("scopes") or []:
        uses = _tests(scope, _SURE)
        if uses:
            # Uses in tests are the last of each list, the first that a result has no room for.
            least = "at least " if any(left_out(scope, kind) for kind in _SURE) else ""
            answer += [
                f"{subject(scope)} is used by {least}{counted(len(uses), 'scope')} of tests:",
                *_placed(uses, scope),
                "",
            ]
        perhaps = {place: lines for place, lines in _tests(scope, ("possible",)).items() if place not in uses}
        if perhaps:
            number = counted(len(perhaps), "scope")
            answer.append(
                f"{subject(scope)} is perhaps used by {number} of tests, on something whose type is not known:"
            )
            answer += [*_placed(perhaps, scope), ""]
    if answer:
        return trimmed([*answer, *taken_for(value, asked)])
    lines = [each for each in matches_of(found) if is_test(each["file"])]
    if lines:
        return [
            f"No test calls {_named(asked, found)} directly, but these lines of tests name it:",
            *listed_lines(lines, found),
        ]
    return [_none(asked, found, "no test names it")]


_Places = dict[tuple[str, str], set[int]]


def _tests(scope: Mapping[str, Any], kinds: Sequence[str]) -> _Places:
    """The tests that use a definition in one of these ways, and the lines where they do."""
    uses: _Places = {}
    for use in (use for kind in kinds for use in scope.get(kind) or [] if of_test(use)):
        uses.setdefault((use["file"], use.get("qualified_name") or ""), set()).update(use["lines"])
    return uses


def _placed(uses: _Places, tested: Mapping[str, Any]) -> list[str]:
    """The tests with their places; those in files that are called as what they test come first."""

    def order(place: tuple[str, str]) -> tuple[int, tuple[str, str]]:
        called = _bare_name(place[0].rpartition("/")[2])
        return -max((len(each) for each in names if each in called), default=0), place

    names = {_bare_name(each) for each in (tested["qualified_name"], tested["qualified_name"].rpartition(".")[2])}
    lines = []
    for file, name in sorted(uses, key=order)[:MAX_EVIDENCE]:
        where = uses[file, name]
        at = f"{file}:{', '.join(map(str, sorted(where)))}"
        lines.append(f"- `{name}` - {at}" if name else f"- {at}")
    return lines + rest(len(uses) - MAX_EVIDENCE)


def _bare_name(name: str) -> str:
    return re.sub(r"\W|_", "", name).lower()


def calling(name: str) -> str:
    """A regular expression for lines that look like a call of a name, itself one: ``x(``, ``x<T>(``."""
    return rf"(?<![\w$]){name}(?:(?:::)?<[^()]*>)?\s?\("


def used_as_text(asked: str, target: Target, found: Sequence[Found]) -> list[str]:
    """Uses of what is not defined here: lines of the files that import it, or that have its whole name."""
    parts = parts_of(target)
    lines = matches_of(found)
    if not lines:
        return [nothing(asked)]
    if len(parts) == 1:
        is_set = sets_by_itself(target, {"matches": lines}, ())
        undefined = f"`{asked}` has no definition of its own" if is_set else _undefined(asked, found)
        if is_unused_aside(_value(found, "find_callers")):
            undefined = f"Nothing but tests and the like defines `{asked}`"
        return [f"{undefined}; it stands in {_number(lines, found)}:", *listed_lines(lines, found)]
    sure = re.compile(import_pattern(target))
    alone = re.compile(alone_pattern(target))
    whole = re.compile(spelled(parts))
    bringing = {each["file"] for each in lines if sure.search(each["text"])}
    module = re.compile(rf"\b(?:import|from)\b.*\b{re.escape(parts[-2])}\b")
    # An import over several lines names the module in another line, which is not among these.
    bringing |= {each["file"] for each in lines if alone.search(each["text"]) and not module.search(each["text"])}
    certain = [each for each in lines if each["file"] in bringing or whole.search(each["text"])]
    members = [each for each in lines if re.search(rf"(?:\.|->|::){re.escape(parts[-1])}\b", each["text"])]
    if members and not bringing and _value(found, "read_scope").get("match") == "exact":
        # A member of a type is written behind something else than the type's name.
        return [
            f"{NOTHING_FOUND} that is defined as `{asked}`. "
            f"These lines name a `{parts[-1]}`, of it or of something else:",
            *listed_lines(members, found),
        ]
    if certain:
        return [
            f"{_undefined(asked, found)}; it stands in {_number(certain, found)}:",
            *listed_lines(certain, found),
        ]
    return unread_lines(asked, target, found) or [nothing(asked)]


def _undefined(asked: str, found: Sequence[Found]) -> str:
    return (
        f"No definition of `{asked}` is known" if is_part_read(found) else f"`{asked}` is not defined in this project"
    )


def named_exactly(asked: str, target: Target, found: Sequence[Found], *, called: bool = False) -> list[str]:
    """The lines that have a name which is defined nowhere, or only as a part of a longer one: a parameter, a setting, a
    type of a library; or only in another case, as `env` is no `ENV`. None where no line of code has it; of what is
    ``called`` those of a part of a longer name, where one calls it: a field may hold a function."""
    value = _value(found, "find_callers")
    match, aside = value.get("match"), is_unused_aside(value) and not called
    if match not in (("partial",) if called else ("partial", "none", "spelling")) and not aside:
        return []
    code = [each for each in matches_of(found) if not is_text(each)]
    if aside:
        code = [each for each in code if not stands_aside(each["file"])]
    if called:
        call = calling(re.escape(target.member))
        code = [each for each in code if re.search(call, each["text"]) and not stands_aside(each["file"])]
    if match == "spelling":
        code = [each for each in code if target.stands_in(each["text"]) and not COMMENT.match(each["text"])]
    return used_as_text(asked, target, found) if code else []


def is_unused_aside(value: Mapping[str, Any]) -> bool:
    """Whether only tests and the like define a name, and nothing uses what they define: a key of settings, say, that
    some test sets too."""
    scopes = value.get("scopes") or []
    if value.get("match") != "exact":
        return False
    return bool(scopes) and all(is_aside(each) and not any(each.get(kind) for kind in _USES) for each in scopes)


def is_renamed(target: Target, value: Mapping[str, Any]) -> bool:
    """Whether what is asked for by this name is called something else now."""
    scopes = value.get("scopes") or []
    return value.get("match") == "moved" and all(each["name"] != target.member for each in scopes)


def still_named(target: Target, found: Sequence[Found]) -> list[str]:
    """The lines that have the name yet that something had before it was renamed; none where there are none."""
    lines = matches_of(found) if is_renamed(target, _value(found, "find_callers")) else []
    if not lines:
        return []
    perhaps = ", of it or of something else" if len(target.parts) > 1 else ""
    return ["", f"`{target.member}` still stands in {_number(lines, found)}{perhaps}:", *listed_lines(lines, found)]


def grep(pattern: str, **more: Any) -> Call:
    """Looks for lines of files."""
    return Call("grep_code", (("pattern", pattern), *more.items(), ("limit", MAX_LINES)))


def _value(found: Sequence[Found], tool: str) -> Mapping[str, Any]:
    return next((each.value for each in found if each.call.tool == tool and isinstance(each.value, dict)), {})


def matches_of(found: Sequence[Found]) -> list[Mapping[str, Any]]:
    """The lines that grep gave, those of tests and of texts last."""
    return texts_last(_value(found, "grep_code").get("matches") or [])


def _scopes_of_lines(found: Sequence[Found]) -> dict[tuple[str, int], str]:
    return {
        (use["file"], line): use["qualified_name"]
        for scope in _value(found, "find_callers").get("scopes") or []
        for kind in _USES
        for use in scope.get(kind) or []
        if use.get("qualified_name")
        for line in use["lines"]
    }


def listed_lines(
    lines: Sequence[Mapping[str, Any]], found: Sequence[Found], inside: Mapping[tuple[str, int], str] | None = None
) -> list[str]:
    """The first `MAX_EVIDENCE` lines as a list, with what each is ``inside`` of, and how many there are besides."""
    listed = []
    for each in lines[:MAX_EVIDENCE]:
        scope = (inside or {}).get((each["file"], each["line"]))
        listed.append(f"- `{scope}` - {text_line(each)}" if scope else f"- {text_line(each)}")
    return listed + rest(len(lines) - MAX_EVIDENCE, "more, and there may be others" if _is_cut(found) else "more")


def _is_cut(found: Sequence[Found]) -> bool:
    """Whether not all lines were looked through: there are more than a search gives, or it took too long."""
    return bool(_value(found, "grep_code").get("more"))


def counted_lines(lines: Sequence[Mapping[str, Any]], found: Sequence[Found]) -> str:
    """How many lines there are, or at least how many."""
    return f"{'at least ' if _is_cut(found) else ''}{counted(len(lines), 'line')}"


def _number(lines: Sequence[Mapping[str, Any]], found: Sequence[Found]) -> str:
    if _is_cut(found):
        return f"{counted_lines(lines, found)}, among them these"
    return f"these {len(lines)} lines" if len(lines) > 1 else "this line"


def _named(asked: str, found: Sequence[Found]) -> str:
    """What is asked about with its place, where it is defined once."""
    value = _value(found, "find_callers")
    scopes = value.get("scopes") or []
    # What only has the name in its own is something else: the test of a field that no outline has.
    return subject(scopes[0]) if len(scopes) == 1 and value.get("match") not in ("partial", "typo") else f"`{asked}`"


def _none(asked: str, found: Sequence[Found], what: str) -> str:
    return f"{_named(asked, found)}: {what}." if _is_known(found) else nothing(asked)


def _is_known(found: Sequence[Found]) -> bool:
    """Whether what is asked about is defined in this project."""
    return bool(_value(found, "find_callers").get("scopes"))
