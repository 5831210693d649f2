"""Makes ragforge_memory/api/_blocking.py from the awaited classes: same names, same arguments, same errors.

    python scripts/generate_blocking.py [--check]

``--check`` writes nothing and ends with 1 where the file is stale. ruff, of the development tools, lays it out.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
API = ROOT / "ragforge_memory" / "api"
TARGET = API / "_blocking.py"

AGENT, CONVERSATION = "AsyncConversationAgent", "AsyncConversation"
MEMORY, USER, KNOWLEDGE = "AsyncAgentMemory", "AsyncAgentUser", "AsyncAgentKnowledge"
PARTS = (MEMORY, USER, KNOWLEDGE)
"""What an agent gives by a property, and waits as it does."""
# Awaited types and what stands for them here; the longer names first.
TYPES = {
    AGENT: "ConversationAgent",
    CONVERSATION: "Conversation",
    MEMORY: "AgentMemory",
    USER: "AgentUser",
    KNOWLEDGE: "AgentKnowledge",
    "AsyncMessageStream": "MessageStream",
}
ABOUT = {
    MEMORY: '"""`AsyncAgentMemory` for code that does not await; `ConversationAgent.memory`."""',
    USER: '"""`AsyncAgentUser` for code that does not await; `ConversationAgent.user`."""',
    KNOWLEDGE: '"""`AsyncAgentKnowledge` for code that does not await; `ConversationAgent.knowledge`."""',
    CONVERSATION: '"""`AsyncConversation` for code that does not await; made by a `ConversationAgent`."""',
    AGENT: '''"""`AsyncConversationAgent` for code that does not await: same names, same arguments, same errors.

    It works inside a running event loop too (a notebook): its own is in another thread. One that was not closed is
    closed at exit, within 2 s. Ctrl-C cancels the turn and waits until its partial answer is stored.
    """''',
}
TURNS = {"send_message", "regenerate", "edit"}
"""Ctrl-C cancels these and waits for what had been said."""

LEFT_OUT = {"answer", "ask_once", "exact_conversation", "stream_answer"}
"""What is for callers that await and keep message lists of their own."""

ENDS = {"aclose": "close", "abandon": "abandon"}
"""What ends an agent, by its name here."""

Method = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> int:
    """Writes the file, or checks it."""
    made = blocking()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(made, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == made:
        return 0
    print(f"{TARGET.relative_to(ROOT)} is stale: run python scripts/generate_blocking.py", file=sys.stderr)
    return 1


def blocking() -> str:
    """The whole file, laid out."""
    files = ("conversation.py", "memory.py", "user.py", "knowledge.py", "agent.py")
    trees = [ast.parse((API / name).read_text(encoding="utf-8")) for name in files]
    classes = {node.name: node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}
    typed = sorted({line for tree in trees for line in _imports(tree)})
    text = f'''"""The agent and its conversations for code that does not await.

Made by scripts/generate_blocking.py from agent.py, conversation.py, memory.py, user.py and knowledge.py: change
those, and run it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from ragforge_memory.api.agent import {AGENT}
from ragforge_memory.api.waiting import (
    BlockingAgent, BlockingConversation, BlockingKnowledge, BlockingMemory, BlockingUser, MessageStream, awaited,
    refuse_driver, wait
)

if TYPE_CHECKING:
    {
        """
    """.join(typed)
    }
    from ragforge_memory.api.agent import TheConversations, AConversation
    from ragforge_memory.api.conversation import ExportFormat

    Neo4jTarget = str | Neo4jConfig | Callable[[], neo4j.AsyncDriver] | None


{_class(classes[CONVERSATION], "BlockingConversation", "_conversation")}


{_class(classes[MEMORY], "BlockingMemory", "_memory")}


{_class(classes[USER], "BlockingUser", "_user")}


{_class(classes[KNOWLEDGE], "BlockingKnowledge", "_knowledge")}


{_class(classes[AGENT], "BlockingAgent", "_agent")}
'''
    return _laid_out(text)


def _imports(tree: ast.Module) -> list[str]:
    """All that a module imports, a line for each name; what is not used here is taken out afterwards."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            lines += [f"from {node.module} import {each.name}" for each in node.names if each.name not in TYPES]
        elif isinstance(node, ast.Import):
            lines += [f"import {each.name}" for each in node.names]
    left_out = ("TYPE_CHECKING", "overload")
    return [line for line in lines if line.rpartition(" ")[2] not in left_out]


def _class(node: ast.ClassDef, base: str, behind: str) -> str:
    methods = (_method(each, node.name, behind) for each in node.body if isinstance(each, Method))
    head = f"class {TYPES[node.name]}({base}):\n    {ABOUT[node.name]}"
    return "\n\n".join([head, *(_set_in(method) for method in methods if method)])


def _method(node: Method, owner: str, behind: str) -> str | None:
    """What stands for a method here; None where nothing does."""
    name, takes, passes = node.name, _here(ast.unparse(node.args)), _passed(node)
    see, returns = f'"""See `{owner}.{name}`."""', _here(ast.unparse(node.returns)) if node.returns else "None"
    decorators = [ast.unparse(each) for each in node.decorator_list]
    if owner == AGENT and name == "__init__":
        return f"def __init__({takes}) -> None:\n    refuse_driver(neo4j)\n    self._adopt({owner}({passes}))"
    if owner == AGENT and name == "__aenter__":
        return f"def __enter__(self) -> {returns}:\n    self.open()\n    return self"
    if owner == AGENT and name == "__aexit__":
        return f"def __exit__({takes}) -> None:\n    self.close()"
    if name.startswith("_") or name in LEFT_OUT:
        return None
    if "property" in decorators:
        about = f'"""{ast.get_docstring(node)}"""'
        gives = f"self.{behind}.{name}"
        gives = f"{returns}({gives}, self._do)" if returns in map(TYPES.get, PARTS) else gives
        return f"@property\ndef {name}(self) -> {returns}:\n    {about}\n    return {gives}"
    if "overload" in decorators:
        return f"@overload\ndef {name}({takes}) -> {returns}: ..."
    if "classmethod" in decorators:
        made = f"agent = cls.__new__(cls)\n    agent._adopt({owner}.{name}({passes}))\n    return agent"
        return f"@classmethod\ndef {name}({takes}) -> {returns}:\n    {see}\n    {made}"
    if name in ENDS:
        told = f'"""See `{owner}.{name}`; raises nothing, for the loop is its own."""'
        return f"def {ENDS[name]}(self) -> None:\n    {told}\n    self._end(self.{behind}.{name})"
    returns = "None" if name == "open" else returns
    call = f"self.{behind}.{name}({passes})"
    if isinstance(node, ast.AsyncFunctionDef):
        function = call.removesuffix("()") if call.endswith("()") else f"lambda: {call}"
        call = f"self._do({function})" if owner in (AGENT, *PARTS) else f"wait({function}{_stop(name, behind)})"
    if returns == TYPES[AGENT]:
        return f"def {name}({takes}) -> {returns}:\n    {see}\n    return self._another({call})"
    if returns in TYPES.values():
        call = f"{returns}({call})"
    return f"def {name}({takes}) -> {returns}:\n    {see}\n    {call if returns == 'None' else f'return {call}'}"


def _stop(name: str, behind: str) -> str:
    return f", stop=self.{behind}.cancel" if name in TURNS else ""


def _passed(node: Method) -> str:
    """The arguments as they are handed on: the first as it came, the others by their names."""

    def handed(argument: ast.arg) -> str:
        annotation = ast.unparse(argument.annotation) if argument.annotation else ""
        return f"awaited({argument.arg})" if CONVERSATION in annotation else argument.arg

    _self, *given = node.args.args
    named = (f"{each.arg}={handed(each)}" for each in (*given[1:], *node.args.kwonlyargs))
    return ", ".join([*map(handed, given[:1]), *named])


def _here(text: str) -> str:
    for awaited, plain in TYPES.items():
        text = text.replace(awaited, plain)
    return text


def _set_in(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))


def _laid_out(text: str) -> str:
    for command in (["check", "--fix", "--select", "F401,F811,I", "--quiet"], ["format", "--quiet"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(TARGET), "-"]
        ran = subprocess.run(ruff, input=text, capture_output=True, text=True, cwd=ROOT)
        if ran.returncode or not ran.stdout:
            raise SystemExit(f"ruff cannot lay it out: {ran.stderr or ran.stdout}")
        text = ran.stdout
    return text


if __name__ == "__main__":
    sys.exit(main())
