"""Which languages are read, and how one is added.

**How a language is added**

1. Write ``code/<language>/reader.py`` with one public name, ``READER = Reader(…)`` (see Reader for the fields). Its
   grammar is imported when the first file of the language is parsed.
2. ``handlers`` maps a node type to ``handler(draft, node) -> nodes to visit next, in source order``; a type that is
   not in it visits its named children. A handler that meets a definition calls ``draft.open(…)`` and ends what it
   returns with ``CLOSE``. The walk has its own stack, so that no depth of nesting in a source can break it.
   ``draft.use``, ``draft.bind``, ``draft.add_import``, ``draft.export``, ``draft.decide`` say the rest.
   ``python/reader.py`` is the model.
3. ``links`` is the part that resolution asks: a Links (links.py) with the functions that say which files of the
   project an import means, and which files' names are visible without one.
4. Add a line to LANGUAGES below and a sample with every edge type to ``tests/code/samples/``.

Keys, qualified names, sources, hashes and the token lists are made by the draft and by fingerprint.py, for all
languages alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from ragforge_memory.code.token_rules import TokenRules

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

    from ragforge_memory.code.draft import Draft, Handler
    from ragforge_memory.code.links import Links


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader(TokenRules):
    """What a language's module gives: how its tokens are told, and these.

    Args:
        grammar: the module of the grammar, with the function that gives it where that is not ``:language``.
        grammars: those of files with certain extensions.
        handlers: what fills the draft, by type of node.
        finish: what is said of the whole file when its tree has been walked.
        links: how names reach other files.
        refusal: for a tree with errors (or a doubtful draft), the reason why the file counts as broken, or None where
            what could be read is good enough. The default refuses every file with an error; a language whose grammar
            stumbles over good code (macros) gives its own.
        source: the text that is read in place of the file's, where that is no code as it stands; raises ValueError with
            the reason where there is none.
        prepare: what the parser is given instead of the text: as long, byte for byte, with what the grammar cannot
            read blanked out. Texts and hashes are of the file itself.
        simplify: the same for more tries with a file that shows errors, the one that takes least away first; see
            parse.py for which tree is taken.
        normal_form: of Unicode, in which names are compared (Python: NFKC, PEP 3131); None where they are as written.
    """

    grammar: str
    handlers: Mapping[str, Handler]
    links: Links[Any]
    grammars: Mapping[str, str] = field(default_factory=dict)
    finish: Callable[[Node, Draft], None] | None = None
    refusal: Callable[[Node, bytes], str | None] | None = None
    source: Callable[[bytes], bytes] | None = None
    prepare: Callable[[bytes], bytes] | None = None
    simplify: tuple[Callable[[bytes], bytes], ...] = ()
    normal_form: Literal["NFC", "NFKC"] | None = None


@dataclass(frozen=True, slots=True)
class Language:
    """One language: its name in the graph, how its files are told, and the module that has its READER.

    ``kin`` names the family of languages whose files use one another's names (``javascript`` for TypeScript too);
    empty for a language of its own. ``has_code`` is false where files only say how others are reached. ``unread`` says
    what of every file is not read; answers that find nothing name such files.
    """

    name: str
    module: str
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    kin: str = ""
    has_code: bool = True
    unread: str = ""

    @property
    def family(self) -> str:
        """The family's name, the language's own where it has none."""
        return self.kin or self.name


_CPP_EXTENSIONS = (".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".tpp")

LANGUAGES: dict[str, Language] = {
    language.name: language
    for language in (
        Language("python", "python", (".py", ".pyi", ".pyw"), interpreters=("python", "pypy", "uv", "pipx")),
        Language("javascript", "javascript", (".js", ".jsx", ".mjs", ".cjs"), interpreters=("node", "nodejs")),
        Language(
            "typescript",
            "javascript",
            (".ts", ".tsx", ".mts", ".cts"),
            kin="javascript",
            interpreters=("deno", "bun", "tsx", "ts-node"),
        ),
        Language(
            "jsconfig",
            "jsconfig",
            (),
            ("package.json", "tsconfig.json", "tsconfig.*.json", "jsconfig.json"),
            kin="javascript",
            has_code=False,
        ),
        Language("go", "go", (".go",)),
        Language("gomod", "gomod", (), ("go.mod",), kin="go", has_code=False),
        Language("java", "java", (".java",)),
        Language("rust", "rust", (".rs",)),
        Language("c", "c", (".c", ".h"), kin="c"),
        Language("cpp", "cpp", _CPP_EXTENSIONS, kin="c"),
        Language("csharp", "csharp", (".cs", ".csx")),
        Language("ruby", "ruby", (".rb", ".rake", ".gemspec", ".ru"), ("Rakefile", "Gemfile"), ("ruby", "jruby")),
        Language("vue", "components", (".vue",), kin="javascript", unread="its script alone is read"),
        Language("svelte", "components", (".svelte",), kin="javascript", unread="its script alone is read"),
        Language("notebook", "notebook", (".ipynb",), kin="python"),
        Language("php", "php", (".php", ".phtml"), interpreters=("php",)),
    )
}

_UNREAD = {
    "Assembly": ("s", "asm"), "Awk": ("awk",), "Batch": ("bat", "cmd"), "Clojure": ("clj", "cljs", "cljc"),
    "CoffeeScript": ("coffee",), "Crystal": ("cr",), "Dart": ("dart",), "Elixir": ("ex", "exs"),
    "Erlang": ("erl", "hrl"), "F#": ("fs", "fsx"), "Fortran": ("f90", "f95"), "Groovy": ("groovy", "gradle"),
    "GraphQL": ("graphql", "gql"), "Haskell": ("hs",), "Julia": ("jl",), "Kotlin": ("kt", "kts"), "Lex": ("l", "ll"),
    "Lua": ("lua",), "Nim": ("nim",), "Objective-C": ("m", "mm"), "OCaml": ("ml", "mli"), "Perl": ("pl", "pm"),
    "PowerShell": ("ps1", "psm1"), "Prisma": ("prisma",), "Protocol Buffers": ("proto",), "R": ("r",),
    "Scala": ("scala", "sc"), "Shell": ("sh", "bash", "zsh", "fish"), "Solidity": ("sol",), "SQL": ("sql",),
    "Swift": ("swift",), "Tcl": ("tcl",), "Vim script": ("vim",), "Visual Basic": ("vb",),
    "Yacc": ("y", "yy"), "Zig": ("zig",),
}  # fmt: skip
"""Languages that there is no grammar for here: what their files define is not known."""

_UNREAD_BY_EXTENSION = {extension: name for name, extensions in _UNREAD.items() for extension in extensions}

_CPP = re.compile(
    rb"^[ \t]*(?:class\s+\w[\w\s]*[:{;]|namespace\b|template\s*<|using\s+\w|(?:public|private|protected):"
    rb"|virtual\b|constexpr\b)"
    rb"|\bstd::|#\s*include\s*<(?:string|vector|memory|map|cstd\w+|functional|utility|iostream)>",
    re.MULTILINE,
)
"""What only C++ has, for headers whose name does not tell."""

_BY_EXTENSION = {extension: language for language in LANGUAGES.values() for extension in language.extensions}
_BY_FILENAME = {name: language for language in LANGUAGES.values() for name in language.filenames}
_BY_INTERPRETER = {name: language for language in LANGUAGES.values() for name in language.interpreters}


def language_of(path: str, data: bytes = b"") -> Language | None:
    """The language of a file by its name, or by its ``#!`` line where the name has no extension; else None.

    Args:
        path: relative or absolute, with ``/``.
        data: the file's first bytes, where they are at hand.
    """
    filename = path.rpartition("/")[2]
    first, dot, extension = filename.partition(".")[0], *filename.rpartition(".")[1:]
    found = _BY_FILENAME.get(filename) or _BY_FILENAME.get(f"{first}.*.{extension}")
    if found is not None:
        return found
    if dot and extension.lower() == "h" and _CPP.search(data):
        return LANGUAGES["cpp"]
    if dot:
        return _BY_EXTENSION.get(f".{extension.lower()}")
    if data.startswith(b"#!"):
        words = data.split(b"\n", 1)[0].decode("utf-8", "replace").replace("/", " ").split()
        # `python3.12` is Python; `node --import tsx` is tsx.
        names = (word.rstrip("0123456789.-") for word in reversed(words))
        return next((_BY_INTERPRETER[name] for name in names if name in _BY_INTERPRETER), None)
    return None


@cache
def reader_of(name: str) -> Reader:
    """The Reader of a language of LANGUAGES; imported when first asked for."""
    module = import_module(f"ragforge_memory.code.{LANGUAGES[name].module}.reader")
    reader: Reader = module.READER
    return reader


def unread_language_of(path: str) -> str | None:
    """The language of a file of code that cannot be read as code; None for all other files."""
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    return _UNREAD_BY_EXTENSION.get(extension.lower()) if dot else None


@cache
def _parser(name: str, extension: str) -> Parser:
    from tree_sitter import Language as Grammar
    from tree_sitter import Parser

    reader = reader_of(name)
    module, _, function = reader.grammars.get(extension, reader.grammar).partition(":")
    return Parser(Grammar(getattr(import_module(module), function or "language")()))


def parser_of(name: str, path: str) -> Parser:
    """The parser for a file of this language, where its name does not say so for one of the language's first extension.
    One a process: not to be shared between threads."""
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    written, known = f"{dot}{extension.lower()}", LANGUAGES[name].extensions
    return _parser(name, written if written in known else next(iter(known), ""))
