"""The provider: a request in, tool requests or an answer out, by the same port as every model."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncGenerator, Iterator, Sequence
from datetime import date

from ragforge_memory.llm import port
from ragforge_memory.llm.extractive.lines import statements
from ragforge_memory.llm.extractive.reading import only_asks, read
from ragforge_memory.llm.extractive.search import NO_TOOLS
from ragforge_memory.llm.extractive.values import Answer, Call, Outcome, Outcomes
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.memory import facts_in
from ragforge_memory.text.titles import title_of

_ROUNDS = 2
_MEMORY = ("search_conversation", "list_decisions", "recent_conversations")
_NOT_KEPT = Answer(["This agent keeps no conversations: what is said here is not found again."], echo=True)
_LISTS = {"search_code": "results", "search_conversation": "messages", "grep_code": "matches"}
_LISTS |= {"list_decisions": "decisions", "recent_conversations": "conversations"}
_LISTS |= {"search_knowledge_base": "results"}
_GRAPH_ERRORS = ("GraphUnavailable", "GraphTimeout", "GraphBusy")
_AWAY = "Neo4j is away, so nothing can be looked up; ask again when it is back"
_TODAY = "Today's date: "
# A turn whose rounds are used up folds what the tools returned into the system prompt, and offers none.
_FOLDED = re.compile(r"^(?P<tool>\w+)\(.*\) returned:\n<data>\n(?P<content>.*?)\n</data>$", re.M | re.S)


class ExtractiveProvider:
    """Answers by quoting: it reads the question by a table, asks the tools, and quotes what they found.

    It knows only the request: no graph, no files, no network, no state between requests.
    """

    @property
    def name(self) -> str:
        return port.EXTRACTIVE

    @property
    def model(self) -> str:
        return "quotes"

    @property
    def context_window(self) -> int:
        """Nothing is ever too long for it; the figure bounds what a turn puts together."""
        return 1_000_000

    @property
    def purposes(self) -> frozenset[str]:
        """Answers and titles. A summary needs vectors, which it does not have."""
        return frozenset({"answer", "title"})

    async def stream(self, request: port.ModelRequest) -> AsyncGenerator[port.ModelChunk, None]:
        """Yields tool requests, or the answer line by line, then `Finished`; raises nothing."""
        calls, answer = ([], _title(request)) if request.purpose == "title" else _next(request)
        for call in calls:
            yield port.ToolRequestChunk(port.ToolRequest(f"call_{uuid.uuid4().hex[:16]}", call.tool, call.arguments))
        for line in "\n".join(answer.lines).strip().splitlines(keepends=True):
            yield port.TextChunk(line)
        yield port.Finished("tool_calls" if calls else "stop", Usage(cost_usd=0.0), echo=answer.echo)

    async def aclose(self) -> None:
        """Nothing is open."""


def _title(request: port.ModelRequest) -> Answer:
    """A title is asked for with the exchange that a conversation begins with."""
    return Answer([title_of(request.messages[-1].content.partition("Question:\n")[2].partition("\n\nAnswer:\n")[0])])


def _next(request: port.ModelRequest) -> tuple[list[Call], Answer]:
    """What to ask the tools now, of those that are offered; nothing: the answer."""
    at = max((n for n, each in enumerate(request.messages) if each.role == "user"), default=0)
    earlier, now = request.messages[:at], request.messages[at:]
    before = [each.content for each in earlier if each.role == "assistant" and not each.tool_requests]
    question = read(now[0].content if now else "", before, _today(request.system))
    intent, offered = question.intent, {each.name: each.parameters.get("properties", {}) for each in request.tools}
    rounds = sum(bool(each.tool_requests) for each in now)
    folded = () if offered or rounds else _FOLDED.finditer(request.system)
    if intent.name in ("noted", "said") and offered and offered.keys().isdisjoint(_MEMORY):
        return [], _NOT_KEPT
    try:
        steps = [*_outcomes(now), *(_outcome(each["tool"], each["content"]) for each in folded)]
        stated = [each for each in request.recalled if "code" in each.tiers and each.memory.kind != "tool_failure"]
        found = Outcomes(steps, [each.memory.statement for each in stated])
        wanted = intent.tools(question) if not rounds else intent.more(question, found) if rounds < _ROUNDS else []
        fitting = [each.fitting(offered[each.tool]) for each in wanted if each.tool in offered]
        if calls := [*{json.dumps(each): each for each in fitting}.values()]:
            return calls, Answer([])
        answer = intent.answer(question, found) if found.steps or not wanted else Answer([NO_TOOLS], echo=True)
        facts = statements(facts_in(request.recalled)) if intent.name != "noted" else []
        return [], Answer(["Remembered:", *facts, "", *answer.lines], answer.echo) if facts else answer
    except (AttributeError, LookupError, TypeError, ValueError):
        # Somebody else's tool of one of these names.
        tools = ", ".join(dict.fromkeys(each.name for message in now for each in message.tool_requests))
        return [], Answer([f"What the tools gave ({tools}) has not the form that can be quoted."], echo=True)


def _outcomes(messages: Sequence[port.ChatMessage]) -> Iterator[Outcome]:
    """What the tools gave since the question."""
    given = {outcome.id: outcome for each in messages for outcome in each.tool_outcomes}
    for request in (request for each in messages for request in each.tool_requests):
        outcome = given.get(request.id)
        content = outcome.content if outcome else "the tool gave no result"
        content = _AWAY if outcome and outcome.error_kind in _GRAPH_ERRORS else content
        yield _outcome(request.name, content, failed=outcome is None or outcome.is_error)


def _outcome(tool: str, content: str, failed: bool = False) -> Outcome:
    """A result; what is not an object was shortened to fit into the prompt, what has no list is somebody else's."""
    try:
        value = json.loads(content)
    except ValueError:
        value = None
    value = value if isinstance(value, dict) else {}
    error = str(value.get("error") or (content if failed else ""))
    if not error and (not value or "beginning" in value):
        error = "what was found is too long to quote; ask for less"
    if not error and tool in _LISTS and not isinstance(value.get(_LISTS[tool]), list):
        error = f"what {tool} gave has not the form that can be quoted"
    for each in value["messages"] if tool == "search_conversation" and not error else ():
        each["asks"] = each["role"] == "user" and only_asks(each["excerpt"])
    return Outcome(tool, None if error else value, error)


def _today(system: str) -> date:
    """The day that the system prompt tells, else that of this machine."""
    line = next((line for line in system.splitlines() if line.startswith(_TODAY)), "")
    try:
        return date.fromisoformat(line.removeprefix(_TODAY))
    except ValueError:
        return date.today()
