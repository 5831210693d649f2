"""What a file shows to others, by the rules of its language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ragforge_memory.code.parsed import ParsedFile, ParsedScope

_ALL = re.compile(r"^__all__\s*(?::[^=\n]+)?\+?=\s*[\[(](?P<names>[^\])]*)[\])]", re.M)
_STRING = re.compile(r"['\"](\w+)['\"]")
_COMMENT = re.compile(r"#.*")


@dataclass(frozen=True, slots=True)
class Exported:
    """One name that others see.

    Args:
        name: as others see it, with the type before it where it is a member; ``*`` is all of another module.
        line: of its definition, or of what exports it.
        type: what it is, ``''`` where it is defined elsewhere.
        module: where it comes from, as written, if it is another file's.
    """

    name: str
    line: int
    type: str = ""
    module: str = ""


def exported(file: ParsedFile, text: str) -> tuple[list[Exported], str]:
    """What others see of a file, by line, and the rule that says so; ``''`` where the file says it itself.

    Args:
        file: as it was parsed.
        text: the same file's text.
    """
    match file.language:
        case "python":
            found, rule = _python(file, text)
        case "javascript" | "typescript" | "tsx":
            found, rule = _named(file), ""
        case "go":
            found, rule = list(_visible(file, _is_capital)), "names that begin with a capital"
        case "java" | "csharp":
            found, rule = list(_visible(file, _is_public)), "what is public"
        case "rust":
            found = [*_visible(file, lambda scope, _: "pub" in scope.modifiers), *_passed_on(file)]
            rule = "what is `pub`"
        case "c" | "cpp":
            found, rule = list(_visible(file, _is_not_static)), "what is not static"
        case _:
            found, rule = list(_visible(file, _is_not_private)), "what is not private"
    return sorted(found, key=lambda each: each.line), rule


def _python(file: ParsedFile, text: str) -> tuple[list[Exported], str]:
    top = {each.name: Exported(each.name, each.definition_line, each.type) for each in file.scopes if not each.depth}
    brought = {each.local: Exported(each.local, each.line, "", each.module) for each in file.imports if not each.scope}
    stated = list(_ALL.finditer(text))
    if stated:
        line = text.count("\n", 0, stated[0].start()) + 1
        names = [name for each in stated for name in _STRING.findall(_COMMENT.sub("", each["names"]))]
        return [top.get(name) or brought.get(name) or Exported(name, line) for name in names], "`__all__`"
    found = list(top.values())
    if file.path.endswith("__init__.py"):
        # A package shows what it takes from its own modules.
        found += [each for name, each in brought.items() if name not in top and each.module.startswith(".")]
    return [each for each in found if not each.name.startswith("_")], "names without an underscore before them"


def _named(file: ParsedFile) -> list[Exported]:
    """What an ES module or a CommonJS module says that it exports."""
    own = {each.qualified_name: each for each in file.scopes}
    found = []
    for each in file.exports:
        scope = own.get(each.local)
        name = "module.exports" if each.name == "=" else each.name
        renamed = f"{each.local} as {name}" if scope is not None and each.local != name else name
        found.append(Exported(renamed, each.line, scope.type if scope is not None else ""))
    return [*dict.fromkeys(found), *_passed_on(file)]


def _passed_on(file: ParsedFile) -> Iterator[Exported]:
    """What is another file's, and shown by this one too."""
    for each in file.imports:
        if each.exported and each.scope is None:
            yield Exported(each.local, each.line, "", each.module)


def _visible(file: ParsedFile, is_visible: Callable[[ParsedScope, ParsedScope | None], bool]) -> Iterator[Exported]:
    """The definitions that are visible, inside of none that is not, and of no function."""
    own = {each.key: each for each in file.scopes}
    hidden: set[str] = set()
    for each in file.scopes:
        parent = own.get(each.parent or "")
        inside = parent is not None and (parent.key in hidden or parent.type in ("function", "method"))
        if inside or not is_visible(each, parent):
            hidden.add(each.key)
        else:
            yield Exported(each.qualified_name, each.definition_line, each.type)


def _is_capital(scope: ParsedScope, _: ParsedScope | None) -> bool:
    return all(part[:1].isupper() for part in scope.qualified_name.split("."))


def _is_public(scope: ParsedScope, parent: ParsedScope | None) -> bool:
    # Members of an interface and the values of an enum need not say it.
    of_its_own = parent is not None and (
        parent.type == "interface" or (parent.type, scope.type) == ("enum", "constant")
    )
    return "public" in scope.modifiers or (of_its_own and "private" not in scope.modifiers) or scope.type == "namespace"


def _is_not_static(scope: ParsedScope, parent: ParsedScope | None) -> bool:
    return parent is not None or "static" not in scope.modifiers


def _is_not_private(scope: ParsedScope, _: ParsedScope | None) -> bool:
    return not {"private", "protected"}.intersection(scope.modifiers)
