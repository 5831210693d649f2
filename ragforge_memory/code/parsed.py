"""What parsing one file yields: everything resolution needs, so that the source is not read a second time.

All values are frozen, compare by value and can be pickled (files are parsed in a pool of processes).
Lines count from 1 and are inclusive. Texts are decoded as UTF-8, undecodable bytes replaced.

**Dotted text.** Receivers, bases and types are written in one normal form for all languages: names joined by
``.`` (also for ``::``, ``->`` and ``?.``), ``()`` for a call whatever its arguments, ``[]`` for an index or
generic arguments, ``!`` for a literal (a string, a list, a number, a lambda: never a scope of the project) and
``?`` for any other expression. ``get_app(x).config['a'].load`` is ``get_app().config[].load``. Of a chain of more than
LONGEST_TEXT steps the beginning is ``?``. A binding called ``name[]`` says what the elements of ``name`` are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LONGEST_TEXT = 40
"""Steps of a dotted text. Every call of a chain has all before it as its receiver: without a bound, a fluent chain of
some thousand calls takes a time that grows with the square of its length."""

UNNAMED = ""
"""The name of what is imported under none."""

ScopeType = Literal[
    "function", "method", "class", "interface", "struct", "trait", "enum", "type", "namespace", "constant", "macro"
]
"""What a definition is. A constructor is a method; a union is a struct; a record is a class; ``type`` is a
type alias; ``namespace`` is a package block, module or namespace inside a file; enum members and fields are
constants where they are constant (``static final``, ``const``, enum members of languages that list them)."""

TYPE_TYPES: frozenset[str] = frozenset({"class", "interface", "struct", "trait", "enum", "type"})
"""The scope types that can have members, be inherited from, and be the type of a variable."""

HIDDEN = "hidden"
"""The modifier of a definition that a syntax error hides: what is known of it is what it was before."""

UseKind = Literal["call", "reference", "inherit", "implement", "decorate", "type", "word"]
"""``inherit`` and ``implement`` become INHERITS_FROM and IMPLEMENTS, ``decorate`` DECORATED_BY, others CONSUMES."""

BindingKind = Literal["type", "parameter", "call", "alias", "self", "unknown"]


@dataclass(frozen=True, slots=True)
class Use:
    """One place where a scope names something: ``receiver.name`` or ``name``.

    Args:
        name: the last name, e.g. ``load`` in ``self.config.load()``.
        receiver: dotted text before it, None for a bare name.
        kind: how it is used; ``call`` also for ``new X()``. A ``word`` says a name that somebody may look up
            (``before_action :login``): where there is such a name it is possibly meant, else nothing.
        line: of the name.
        arguments: how many a call passes, in languages that choose overloads by that; None elsewhere.
    """

    name: str
    receiver: str | None
    kind: UseKind
    line: int
    arguments: int | None = None


@dataclass(frozen=True, slots=True)
class Binding:
    """A name that a scope binds, and what is known of its value.

    A function's bindings are its parameters and local variables, a class's are its fields (also those that its
    methods assign to ``self`` or ``this``), a file's are its top-level variables. A local name hides a scope of
    the same name outside, so names with unknown values are listed too.

    Args:
        name: the bare name.
        kind: ``type``: ``value`` is the declared type;
            ``parameter``: the same of a parameter, None where it has no type (used where a parameter's name can
            say what is passed, as with pytest's fixtures);
            ``call``: ``value`` was called (or constructed), so the type is the class ``value``, or what the function
            ``value`` returns;
            ``alias``: ``value`` was assigned as it is (it may be a class, a function or a variable);
            ``self``: the enclosing class or an instance of it (Python's first parameter; keywords like ``this`` need
            no binding), ``value`` is None;
            ``unknown``: ``value`` is None.
            The name ``return`` stands for what an unannotated function returns.
        value: dotted text. Of an optional, pointer or reference type the inner type; of a union the first
            part that is not null; generic arguments are left out.
        line: of the binding.
    """

    name: str
    kind: BindingKind
    value: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name.

    Args:
        local: the name it has in this file; ``*`` for all public names of the module (an include too), `UNNAMED` where
            the module is run and gets no name (``require("./setup")(app)``, ``import "./setup"``).
        module: as written: ``pkg.mod``, ``..mod``, ``./dir/file``, ``java.util.List``, ``stdio.h``.
        name: the name inside the module, ``*`` for all of them, None for the module itself.
        line: of the statement.
        scope: key of the function or class that imports, None at the top level.
        exported: whether other files may import the name from this one (``export … from``). Python's top-level
            imports are visible from outside whatever this says.
    """

    local: str
    module: str
    name: str | None
    line: int
    scope: str | None = None
    exported: bool = False


@dataclass(frozen=True, slots=True)
class Export:
    """A name under which a file offers one of its own: ``name`` outside is dotted ``local`` inside.

    Only for languages that name their exports; ``default`` is ES modules' default export, ``=`` is
    CommonJS's ``module.exports`` itself.
    """

    name: str
    local: str
    line: int


@dataclass(frozen=True, slots=True)
class ParsedScope:
    """One definition.

    Args:
        key: unique in its file: the qualified name, with ``#2``, ``#3`` … for a later one of the same name
            (property pairs, overloads, definitions under ``if``).
        name: the bare name.
        qualified_name: ``Class.method``, Go ``Type.Method``, Java ``Outer.Inner.method``, a function inside a
            function ``outer.inner``. Packages, files and C++, C# and PHP namespaces are not part of it; TypeScript
            and Ruby modules and classes around it are.
        type: see ScopeType.
        start_line, end_line: with decorators, annotations and ``export``; without comments before it.
        definition_line: the line that has the keyword or the name (``def``, ``class``).
        signature: what stands before the body on one line, white space collapsed, decorators left out.
        docstring: cleaned of comment marks and common indentation, None where there is none.
        doc_line: the line of the docstring's first line where it stands above start_line, line for line; else None.
        source: the lines start_line to end_line, whole, joined by line feeds, whatever the file's line breaks.
        hash, body_hash: of the source and of its tokens, see fingerprint.py.
        sketch: what the tokens look like, see sketch.py.
        parent: key of the enclosing scope in this file, None at the top level.
        depth: 0 at the top level.
        owner: dotted name of the type this is a member of, where it is defined outside that type's body: Go
            receivers, Rust ``impl``, C++ ``Foo::bar``, JavaScript ``Foo.prototype.bar``. None elsewhere.
        return_type: as written. ``returns`` is the same as dotted text, see Binding.value.
        parameters: each as written, with type and default.
        takes: the fewest and the most arguments (None: any number) of a call, in languages that choose overloads by
            that; None elsewhere.
        modifiers: ``async``, ``static``, ``abstract``, ``public``, ``property``, ``export`` … in source order. Five
            say what no keyword says: ``constructor`` (it bears its type's name), ``generic`` (a C# type with type
            parameters), ``outward`` (a plain C enum's member, whose name is seen around the enum), ``test`` and
            ``test_only`` (a Rust test, and what is compiled for tests alone).
        complexity: cyclomatic, 1 plus decisions (``if``, loops, ``case``, ``catch``, ``and``, ``or``, ``?:``), nested
            functions not counted; 1 for what has no body.
        decorators: as written, without ``@`` and arguments.
        bases, interfaces: dotted text, of classes.
        uses: what this scope itself uses: what its nested scopes use is theirs alone. Parameter types, decorators
            and bases are uses of the scope they belong to. The definition's own name is not a use.
        bindings: see Binding.
    """

    key: str
    name: str
    qualified_name: str
    type: ScopeType
    start_line: int
    definition_line: int
    end_line: int
    signature: str
    docstring: str | None
    source: str
    hash: str
    body_hash: str
    doc_line: int | None = None
    sketch: str = ""
    parent: str | None = None
    depth: int = 0
    owner: str | None = None
    return_type: str | None = None
    returns: str | None = None
    parameters: tuple[str, ...] = ()
    takes: tuple[int, int | None] | None = None
    modifiers: tuple[str, ...] = ()
    complexity: int = 1
    decorators: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    interfaces: tuple[str, ...] = ()
    uses: tuple[Use, ...] = ()
    bindings: tuple[Binding, ...] = ()

    @property
    def extended(self) -> tuple[str | None, ...]:
        """What it is called as a member of, though it only takes one as its first parameter, see `Links.extensions`."""
        return tuple(each.value for each in self.bindings if each.name == "this")


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """One file. With ``error`` it counts as broken, and an ingest takes what is whole in it alone (partly.py).

    Args:
        path: relative to the project's root, with ``/``.
        language: a name of languages.LANGUAGES, ``""`` where the file's language is not known.
        line_count: lines of text.
        scopes: in order of their start, an enclosing scope before what it holds.
        imports, exports: see there.
        package: what the file itself says it belongs to: Java ``package``, Go ``package``, C# and PHP namespace.
        uses, bindings: of the top level.
        outside: the text outside of every definition: imports, statements, constants, comments; without empty lines
            around its pieces, and of very much of it the beginning.
        outside_lines: the first and the last line of each of its pieces.
        error: one line that says why the file could not be read, with the first line that is wrong.
    """

    path: str
    language: str
    line_count: int = 0
    scopes: tuple[ParsedScope, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[Export, ...] = ()
    package: str = ""
    uses: tuple[Use, ...] = ()
    bindings: tuple[Binding, ...] = ()
    outside: str = ""
    outside_lines: tuple[int, ...] = ()
    error: str | None = None
