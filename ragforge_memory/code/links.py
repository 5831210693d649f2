"""How names of one language reach other files: the part of resolution that differs from language to language.

A **module** is what an import can mean, written as a path: a file (``pkg/mod.py``), or a directory with a final
slash where the language lets a directory stand for all its files (a Go package, a Python namespace package), or
``language:package/`` for the files that say they belong to a package or namespace (index.py).
Resolution (resolve.py) looks a name up in: the enclosing scopes from inside out, the file's top level, its imports,
its neighbours, its wildcard imports. Everything is a pure function of the index.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from ragforge_memory.code.parsed import Import, ParsedFile, ParsedScope

Index = TypeVar("Index")
"""Where names are looked up: index.py has it, which knows this file."""

Place = tuple[str, str]
"""A definition (path and key) or a module (path alone, the key empty)."""


# How a type is written where types are told from values by their letters; one letter may be a type parameter.
_TYPE = re.compile(r"(?!Self\b)[A-Z]\w*[a-z]\w*")


def names_another(receiver: str | None, owner: str) -> bool:
    """Whether a receiver is written as a type that is called otherwise than the owner of a member; see `Links`."""
    written = (receiver or "").rpartition(".")[2]
    return written != owner and _TYPE.fullmatch(written) is not None


@dataclass(frozen=True, slots=True)
class Links(Generic[Index]):
    """A language's rules.

    Args:
        modules: the modules of the project that an import's ``module`` means, best first; none for a foreign one.
            For ``import static a.B.c`` and the like it gives the file that has the class: ``Import.name`` may be
            dotted and is looked up from that file's top level.
        submodule: the module called ``name`` inside a module (Python's ``pkg.mod``), or None.
        neighbours: files whose top-level names are visible without an import: the same package or directory, or
            for C what a header's companion defines.
        linked: what a bare name means that nothing else binds: what the linker finds (C), a constant that some
            other file defines (Ruby), the first word of a name that is written in full (``a`` of ``a.b.C``).
        outside: what ``name`` of a module means that is defined outside of it, as C++ does with ``a::f``.
        parts: the other declarations of a type that together make it up: C#'s ``partial``, Ruby's reopened classes.
        injected: the function whose result a parameter of this name gets (pytest's fixtures).
        self_names: receivers that mean an instance of the enclosing type, as dotted text (``this``, ``self``).
        super_names: receivers that mean its bases (``super()``, ``super``, ``base``, ``parent``).
        bare_members: whether a bare name may be a member of an enclosing type (Java, C++, C#, Ruby).
        imports_visible: whether what a file imports at its top level can be imported from it (Python); otherwise
            only what an Import with ``exported`` or an Export says.
        inner_modules: where an import's ``module`` may be the dotted text of a module or a type inside of a file
            (Rust), if ``modules`` gives none: the first words of those that are certainly of the project.
        exports_only: whether a file shows nothing but what it exports (ES modules that have any Export).
        methods_are_called: whether a name that is not called is never a method (Java: fields have names of their own).
        common_members: method names of the language's built-in and everyday types: an unknown receiver's method
            of such a name is never taken for the project's.
        guesses: whether a method of an unknown receiver may be told by its name alone (C has no methods).
        by_path: whether an import is told by where files are alone, without looking into them.
        global_names: whether a name that nothing binds may be of a file that is not imported (scripts of one page,
            what the linker or an autoloader finds); elsewhere it is a built-in one.
        named_owners: whether a type that is written before a member is the one that has it, since no type has members
            of another (Rust: ``Regex::new`` is no other type's ``new``).
        bare_words: what is called without a receiver and everything has (Ruby's ``puts``).
        mixes_in: whether what a type implements is named inside of it, and may be defined there (Ruby's ``include``).
        extensions: whether a function that binds ``this`` is called as a member of that type (C#'s ``this Kind kind``).
    """

    modules: Callable[[Index, ParsedFile, Import], Sequence[str]]
    submodule: Callable[[Index, str, str], str | None] = lambda index, module, name: None
    neighbours: Callable[[Index, ParsedFile], Sequence[str]] = lambda index, file: ()
    linked: Callable[[Index, ParsedFile, str], Place | None] = lambda index, file, name: None
    outside: Callable[[Index, str, str], Place | None] = lambda index, module, name: None
    parts: Callable[[Index, str, ParsedScope], Sequence[Place]] = lambda index, path, scope: ()
    injected: Callable[[Index, str, ParsedScope, str], Place | None] = lambda index, path, scope, name: None
    self_names: frozenset[str] = frozenset()
    super_names: frozenset[str] = frozenset()
    bare_members: bool = False
    imports_visible: bool = False
    inner_modules: frozenset[str] = frozenset()
    exports_only: bool = False
    methods_are_called: bool = False
    common_members: frozenset[str] = frozenset()
    guesses: bool = True
    by_path: bool = False
    global_names: bool = False
    named_owners: bool = False
    extensions: bool = False
    bare_words: frozenset[str] = frozenset()
    mixes_in: bool = False
