"""Definitions as they are at one moment, which of them stand where they stood, and how alike two are.

A definition stands where its file and qualified name are still there. Pure functions of values.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.sketch import decode, likeness

_NOT_SAME = 0.999
# ``= New``, ``const = module.New;``: tokens and pairs of them.
_MOST_OF_ALIAS = 11
# Of more that have one name and are left on a side the likest are not looked for.
_MOST_OF_ONE_NAME = 32

FAMILIES = {
    **dict.fromkeys(("function", "method"), "function"),
    **dict.fromkeys(("class", "interface", "struct", "trait", "enum", "type", "namespace"), "type"),
    **dict.fromkeys(("constant", "macro"), "value"),
}
"""What may become what: nothing becomes a type that was a function."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition as it is at one moment.

    Args:
        file: relative to the project's root.
        qualified_name: see ParsedScope.
        type: see ScopeType.
        body_hash, sketch: of its tokens without its name.
        key: unique in its file; the qualified name, numbered where there are several.
    """

    file: str
    qualified_name: str
    type: str
    body_hash: str
    sketch: str
    key: str

    @property
    def name(self) -> str:
        """The bare name."""
        return self.qualified_name.rpartition(".")[2]

    @property
    def around(self) -> str:
        """The qualified name of what it stands in, empty at the top level."""
        return self.qualified_name.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Successor:
    """Where a lost definition went.

    Args:
        definition: what it is now; None where it has no successor, or several that are equally good.
        similarity: how alike the tokens are, from 0 to 1; 1 where they are the same.
        candidates: the equally good ones, best first.
        passed: where it stood on the way, where that was followed.
    """

    definition: Definition | None
    similarity: float = 0.0
    candidates: tuple[Definition, ...] = ()
    passed: tuple[Definition, ...] = ()


GONE = Successor(None)


def definitions(parsed: ParsedFile) -> list[Definition]:
    """The definitions of a file, in its order."""
    return [
        Definition(parsed.path, scope.qualified_name, scope.type, scope.body_hash, scope.sketch, scope.key)
        for scope in parsed.scopes
    ]


@dataclass(slots=True)
class Standing:
    """One file's definitions before and after: pairs that stand where they stood, what is lost and what is new."""

    kept: list[tuple[Definition, Definition]] = field(default_factory=list)
    lost: list[Definition] = field(default_factory=list)
    new: list[Definition] = field(default_factory=list)


def standing(before: Iterable[Definition], after: Iterable[Definition]) -> Standing:
    """Pairs the definitions of one file by qualified name; of several of one name those with the same tokens first,
    then those of the same type, the likest first; what only took the name over is new."""
    result = Standing()
    waiting: dict[str, list[Definition]] = defaultdict(list)
    for each in after:
        waiting[each.qualified_name].append(each)
    groups: dict[str, list[Definition]] = defaultdict(list)
    for each in before:
        groups[each.qualified_name].append(each)
    for name, olds in groups.items():
        news = waiting.get(name, [])
        unchanged = partial(_in_order, what=lambda each: (each.type, each.body_hash, each.key))
        same_tokens = partial(_in_order, what=lambda each: (each.type, each.body_hash))
        for pairs in (unchanged, same_tokens, _likest):
            for old, new in pairs(olds, news):
                if old in olds and new in news:
                    olds.remove(old)
                    news.remove(new)
                    result.kept.append((old, new))
        result.lost.extend(olds)
    result.new = [each for group in waiting.values() for each in group]
    return result


def is_replaced(old: Definition, new: Definition) -> bool:
    """Whether no more than the name of a definition is left where it stood: ``Old = New``, for those who still use it,
    behind a class or a function that is called otherwise now."""
    return (
        FAMILIES.get(old.type) in ("function", "type")
        and FAMILIES.get(new.type) == "value"
        and decode(new.sketch).count <= _MOST_OF_ALIAS
    )


def alike(old: Definition, new: Definition) -> float:
    """How alike the tokens of two definitions are, 1 where they are the same and less where they are not."""
    if old.body_hash == new.body_hash:
        return 1.0
    return min(likeness(decode(old.sketch), decode(new.sketch)), _NOT_SAME)


def likest(old: Definition, there: Sequence[Definition]) -> Definition | None:
    """Of definitions that have one name the one that is likest to what has gone: of its type, where one is."""
    return max(there, key=lambda new: _fit(old, new), default=None)


def _likest(olds: Sequence[Definition], news: Sequence[Definition]) -> list[tuple[Definition, Definition]]:
    if max(len(olds), len(news)) > _MOST_OF_ONE_NAME:
        return _in_order(olds, news, lambda each: each.type)
    pairs = [(old, new) for old in olds for new in news if old.type == new.type or not is_replaced(old, new)]
    return sorted(pairs, key=lambda pair: _fit(*pair), reverse=True) if len(pairs) > 1 else pairs


def _in_order(
    olds: Iterable[Definition], news: Iterable[Definition], what: Callable[[Definition], Hashable]
) -> list[tuple[Definition, Definition]]:
    """The first of a kind with the first, the second with the second."""
    waiting: dict[Hashable, deque[Definition]] = defaultdict(deque)
    for new in news:
        waiting[what(new)].append(new)
    return [(old, waiting[what(old)].popleft()) for old in olds if waiting[what(old)]]


def _fit(old: Definition, new: Definition) -> tuple[bool, float, bool]:
    return old.type == new.type, alike(old, new), old.key == new.key
