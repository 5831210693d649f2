"""How a language's tokens are told: what the fingerprint of a scope asks of its language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRules:
    """The types of nodes, and the tokens, that are read otherwise than one leaf after the other.

    Args:
        atoms: node types whose whole text is one token (strings with their white space).
        forms: of atoms whose text says the same in several layouts, what gives the one form of what stands in a
            file from byte to byte; see written.py.
        blocks: node types whose indentation is structure and whose children are statements ended by a line break
            (Python); empty where braces and semicolons say all.
        transparent: node types that look like blocks to the grammar but have no indentation of their own; the
            children are statements all the same (a file's top level, Ruby's bodies).
        statements: node types whose children are statements that a semicolon ends, or a line break instead (ECMA-262
            12.10).
        cut_behind: tokens behind which a line break ends a statement, whatever the tree is (Go; JavaScript's restricted
            productions).
        shown: tokens behind which white space is text, but for one line feed (PHP's ``?>``).
        bare: node types of arguments that a space begins where no parenthesis does, so that it is a token there (Ruby's
            ``f [a]`` is a call and ``f[a]`` an element).
        leading: of what `Reader.prepare` takes away, what is a definition's own where it stands before it on its line
            (``LIB_INLINE void f()``).
    """

    atoms: frozenset[str] = frozenset()
    forms: Mapping[str, Callable[[bytes, int, int], bytes]] = field(default_factory=dict)
    blocks: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset()
    statements: frozenset[str] = frozenset()
    cut_behind: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()
    leading: re.Pattern[bytes] | None = None
