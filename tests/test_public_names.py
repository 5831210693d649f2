"""The public names: which they are, that they are described, cheap to import, and the same with and without await."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_type

import pytest

import ragforge_memory
from tests.trees import tree_of_file

if TYPE_CHECKING:
    from ragforge_memory import AsyncConversation, Conversation

_NAMES = """
AgentClosed AgentKnowledge AgentMemory AgentState AgentUser ApiKey AssistantResponse AsyncAgentKnowledge
AsyncAgentMemory AsyncAgentUser AsyncConversation AsyncConversationAgent AsyncMessageStream AuditRecord BeingAnswered
BranchTree CODE_SEARCH_TOOLS ChatMessage CodeReference Comparison ConfigError ContextItem ContextReceipt Conversation
ConversationAgent ConversationConfig ConversationContext ConversationFileError ConversationInfo ConversationNotFound
Correction Decision DocumentInfo DownloadError Embedder EmbeddingError EmbeddingMismatch Episode Erasure ErasureQuery
ExportFault ExportReport Fact FactVersion Finished ForkedProcess GraphBusy GraphError GraphTimeout GraphUnavailable
HereAlready ImportFault ImportProgress ImportReport IngestProgress IngestReport Insight InsightFailure Insights
InvalidInput KNOWLEDGE_TOOLS KnowledgeHit KnowledgeReport MEMORY_CORE MEMORY_TOOLS Memory Message MessageNotFound
MessageStream ModelBlocked ModelChunk ModelError ModelMalformed ModelProvider ModelRateLimited ModelRefused
ModelRequest ModelStreamCut ModelTimeout ModelUnavailable Neo4jConfig NotFound Page PassedOver ProjectConflict Prompt
RagforgeConfig RagforgeError ReasoningChunk RecallResult RecalledMemory ReembedReport SchemaMismatch ScoredMessage
SearchResults ServerStartError SkippedDocument SkippedFile Snapshot SpaceMoved TextChunk ToolCall ToolContext
ToolError ToolOutcome ToolOutput ToolRequest ToolRequestChunk ToolSpec TurnCancelled Usage UsageDay UserContext
load_config reduce_messages tool
"""
PUBLIC = _NAMES.split()
"""Every name that a user may import from the package; to add one is a decision, to take one away breaks somebody."""

PACKAGE = Path(ragforge_memory.__file__).parent
CLASSES = [name for name in PUBLIC if inspect.isclass(getattr(ragforge_memory, name))]


def test_the_public_names_are_these() -> None:
    assert sorted(ragforge_memory.__all__) == sorted(PUBLIC)
    assert dir(ragforge_memory) == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_each_name_is_imported_by_itself(name: str) -> None:
    value = getattr(ragforge_memory, name)
    assert value is not None
    home = getattr(value, "__module__", None)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert home is not None
        assert home.startswith("ragforge_memory.")
        assert getattr(importlib.import_module(home), name) is value


def test_type_checkers_see_the_same_names() -> None:
    """The imports under TYPE_CHECKING, the lazy table and ``__all__`` say one thing."""
    tree = tree_of_file(PACKAGE / "__init__.py")
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert sorted(seen) == sorted(PUBLIC)
    for name, module in seen.items():
        assert module is not None
        assert getattr(importlib.import_module(module), name) is getattr(ragforge_memory, name)


def test_every_error_is_public() -> None:
    """Whoever is told of one can catch it."""
    tree = tree_of_file(PACKAGE / "errors.py")
    errors = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    assert errors - set(PUBLIC) == set()


def _both_exports(conversation: Conversation, awaited: AsyncConversation) -> tuple[Any, ...]:
    """Runs nowhere: what `export` gives is known to a type checker by the format that is asked for."""
    assert_type(conversation.export(), dict[str, Any])
    assert_type(conversation.export("file.json", embeddings=True), dict[str, Any])
    assert_type(conversation.export(format="markdown"), str)
    assert_type(conversation.export("file.md", "markdown"), str)
    return (
        assert_type(awaited.export("file.json", "json"), Coroutine[Any, Any, dict[str, Any]]),
        assert_type(awaited.export("file.md", format="markdown"), Coroutine[Any, Any, str]),
    )


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ragforge_memory.nothing


# --- described --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLASSES)
def test_public_classes_and_their_members_are_described(name: str) -> None:
    described = getattr(ragforge_memory, name)
    assert described.__doc__, name
    for member, value in vars(described).items():
        if member.startswith("_") or member in ("model_config",):
            continue
        if inspect.isfunction(value) or isinstance(value, (property, classmethod, staticmethod)):
            assert inspect.getdoc(value), f"{name}.{member}"


def test_every_public_function_and_class_of_the_package_is_described() -> None:
    """Below the public names too: what a module shows to others says what it does."""
    silent = []
    for path in PACKAGE.rglob("*.py"):
        for node in tree_of_file(path).body:
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            is_overload = any("overload" in ast.unparse(each) for each in node.decorator_list)
            if not isinstance(node, ast.ClassDef) and node.returns and ast.unparse(node.returns) == "Visit":
                continue  # called from a reader's table of node kinds, and named for its kind
            if not node.name.startswith("_") and not is_overload and not ast.get_docstring(node):
                silent.append(f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}")
    assert silent == []


# --- cheap ------------------------------------------------------------------------------------------------------------

HEAVY = (
    "neo4j pydantic anyio numpy google openai tree_sitter typer rich prompt_toolkit onnxruntime tokenizers yaml stamina"
)


def _loaded(code: str, names: str) -> list[str]:
    script = f"{code}\nimport sys, json\nprint(json.dumps([n for n in {names.split()!r} if n in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    loaded: list[str] = json.loads(done.stdout)
    return loaded


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert _loaded("import ragforge_memory", f"{HEAVY} ragforge_memory.errors asyncio inspect typing_extensions") == []


def test_naming_the_agent_does_not_load_the_driver_or_a_vendor() -> None:
    code = "from ragforge_memory import ConversationAgent, ConversationConfig, tool"
    assert _loaded(code, "neo4j numpy google openai tree_sitter typer rich prompt_toolkit onnxruntime tokenizers") == []


# --- with and without await -------------------------------------------------------------------------------------------

TWINS = {
    "ConversationAgent": "AsyncConversationAgent",
    "Conversation": "AsyncConversation",
    "AgentMemory": "AsyncAgentMemory",
    "AgentUser": "AsyncAgentUser",
    "AgentKnowledge": "AsyncAgentKnowledge",
    "MessageStream": "AsyncMessageStream",
}
ONLY_ASYNC = {
    # What the agent's own rooms reach through; nothing for a user.
    "AsyncConversationAgent": {"aclose", "exact_conversation"},
    "AsyncConversation": {"answer", "ask_once", "stream_answer"},
    "AsyncAgentMemory": set[str](),
    "AsyncAgentUser": set[str](),
    "AsyncAgentKnowledge": set[str](),
    "AsyncMessageStream": {"aclose"},
}
ONLY_BLOCKING = {
    "ConversationAgent": {"close"},
    "Conversation": set[str](),
    "AgentMemory": set[str](),
    "AgentUser": set[str](),
    "AgentKnowledge": set[str](),
    "MessageStream": {"close"},
}


def _members(name: str) -> dict[str, Any]:
    """Of the class and of the parts that it is put together from."""
    found: dict[str, Any] = {}
    for part in reversed(getattr(ragforge_memory, name).__mro__[:-1]):
        found.update({key: value for key, value in vars(part).items() if not key.startswith("_")})
    return found


@pytest.mark.parametrize("blocking", TWINS)
def test_both_kinds_have_the_same_names(blocking: str) -> None:
    awaited = TWINS[blocking]
    assert _members(blocking).keys() - ONLY_BLOCKING[blocking] == _members(awaited).keys() - ONLY_ASYNC[awaited]
    assert ONLY_BLOCKING[blocking] <= _members(blocking).keys()
    assert ONLY_ASYNC[awaited] <= _members(awaited).keys()


def _parameters(function: Any) -> list[tuple[str, Any, Any]]:
    return [(each.name, each.kind, each.default) for each in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("blocking", TWINS)
def test_both_kinds_take_the_same_arguments(blocking: str) -> None:
    theirs = {**_members(TWINS[blocking]), "__init__": getattr(ragforge_memory, TWINS[blocking]).__init__}
    for name, value in {**_members(blocking), "__init__": getattr(ragforge_memory, blocking).__init__}.items():
        twin = theirs.get(name)
        if twin is None or (name == "__init__" and blocking != "ConversationAgent"):
            continue
        assert type(value) is type(twin), name
        if isinstance(value, property):
            continue
        value, twin = getattr(value, "__func__", value), getattr(twin, "__func__", twin)
        assert _parameters(value) == _parameters(twin), name


@pytest.mark.parametrize("blocking", TWINS)
def test_both_kinds_give_the_same(blocking: str) -> None:
    """Return annotations differ by ``Async`` alone."""
    theirs = _members(TWINS[blocking])
    for name, value in _members(blocking).items():
        twin = theirs.get(name)
        if twin is None or name == "open":
            continue
        value, twin = (getattr(each, "fget", None) or getattr(each, "__func__", each) for each in (value, twin))
        gives, given = (str(inspect.signature(each).return_annotation) for each in (value, twin))
        assert gives == given.replace("Async", ""), name


# What fails in them is the turn's, and told there.
RAISES_NOTHING = {("MessageStream", "close"), ("AsyncMessageStream", "aclose")}


@pytest.mark.parametrize("name", [*TWINS, *TWINS.values()])
def test_methods_say_what_they_raise(name: str) -> None:
    for member, value in _members(name).items():
        function = getattr(value, "__func__", value)
        if inspect.isfunction(function) and (name, member) not in RAISES_NOTHING:
            said = inspect.getdoc(function) or ""
            assert "Raises:" in said or (name in TWINS and said.startswith("See `Async")), f"{name}.{member}"


BY_PLACE = {
    "ask_once": ["text", "key"],
    "create_conversation": ["title", "tags"],
    "open_conversation": ["session_id", "title", "tags"],
    "list_conversations": ["limit", "status", "tags", "cursor"],
    "find_similar_conversations": ["query", "limit", "min_score"],
    "search_messages": ["query", "limit", "role", "since", "until", "tags", "tool"],
    "import_conversation": ["data", "on_conflict"],
    "import_conversations": ["source", "on_conflict"],
    "batch_analyze": ["conversations", "task", "output_schema"],
    "get_history": ["limit", "before_message_id", "include_tool_calls", "include_reasoning"],
    "search_history": ["query", "limit", "min_score", "role", "since", "until", "tool"],
    "get_tool_calls": ["tool_name", "success", "limit"],
    "build_context": [
        *("strategy", "recent_messages", "relevant_messages", "include_summary", "query", "max_tokens"),
    ],
    "branch": ["from_message_id", "title"],
    "edit": ["message_id", "text"],
    "export": ["path", "format", "embeddings"],
    "reference_code": ["message_id", "scopes", "kind"],
}
"""What may be given by place; of all other methods that is the first argument alone."""


@pytest.mark.parametrize("name", ["ConversationAgent", "AsyncConversationAgent", "Conversation", "AsyncConversation"])
def test_arguments_after_the_first_are_named(name: str) -> None:
    for member, value in {**_members(name), "__init__": getattr(ragforge_memory, name).__init__}.items():
        function = getattr(value, "__func__", value)
        if not inspect.isfunction(function) or member in ONLY_ASYNC["AsyncConversationAgent"]:
            continue
        if member == "__init__" and not name.endswith("Agent"):
            continue
        by_place = [each for each, kind, _ in _parameters(function) if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        assert by_place[1:] == BY_PLACE.get(member, by_place[1:2]), f"{name}.{member}"
