"""The provider: a request in, tool requests or an answer out, by the same port as every model."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any

from ragforge_memory.language.reading.aims import asks_for_decisions
from ragforge_memory.language.reading.days import days_asked
from ragforge_memory.language.reading.given_text import is_about_given, split_given
from ragforge_memory.language.reading.pasted import pasted
from ragforge_memory.language.reading.project_patterns import WHOLE
from ragforge_memory.language.reading.question import Question, asked_of, search_words
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.reading.targets import Target
from ragforge_memory.language.reading.title import condensed
from ragforge_memory.language.said.bare_corrections import corrects, is_amount
from ragforge_memory.language.said.stock import (
    CHANGES,
    GREETING,
    HELP,
    NO_TOOLS,
    NOT_KEPT,
    NOTHING_KEPT,
    THANKS,
    UNCLEAR,
    WHICH_NOTE,
    says_nothing,
)
from ragforge_memory.llm.extractive.answer import write
from ragforge_memory.llm.extractive.code.given_answer import named_code
from ragforge_memory.llm.extractive.code.message_lines import NO_LINE_HAS_IT, is_nowhere, message_question, was_cut
from ragforge_memory.llm.extractive.plan import MAX_STEPS, next_calls
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.said.doubts import doubted
from ragforge_memory.llm.extractive.said.history import last_items, resolve_target, topic_of
from ragforge_memory.llm.extractive.said.noted_answer import noted
from ragforge_memory.llm.extractive.said.notes_before import last_noted, noted_before, taken_back
from ragforge_memory.llm.extractive.said.recap import recapitulated
from ragforge_memory.llm.extractive.said.retractions import retraction
from ragforge_memory.llm.port import (
    EXTRACTIVE,
    ChatMessage,
    Finished,
    ModelChunk,
    ModelRequest,
    TextChunk,
    ToolRequest,
    ToolRequestChunk,
)
from ragforge_memory.models.conversation import Usage

_PIECE = re.compile(r"[^\n]*\n|[^\n]+$")
# A turn whose rounds are used up folds what the tools returned into the system prompt, and offers no tools.
_FOLDED = re.compile(r"^(?P<tool>\w+)\(.*\) returned:\n<data>\n(?P<content>.*?)\n</data>$", re.M | re.S)
# A title is asked for with the exchange that a conversation begins with.
_ASKED = re.compile(r"Question:\n(?P<question>.*?)\n\nAnswer:\n", re.S)
# What is asked of some days.
_DATED = ("said", "recap", "changed")
# Tools for code that are there where `read_scope` is, and are in no list.
_UNLISTED = frozenset(
    {"code_changes", "code_history", "dependencies", "exports", "find_around", "find_files", "find_overrides",
     "find_subtypes", "find_untested", "find_unused", "list_definitions", "list_tests", "project_version"}
)  # fmt: skip
_GOES_ON = re.compile(r"\W*and\b", re.I)
_SMALL_TALK = {
    "greeting": GREETING,
    "thanks": THANKS,
    "changes": CHANGES,
    "help": HELP,
    "which note": WHICH_NOTE,
}


class ExtractiveProvider:
    """Answers by quoting: it reads the question by rules, asks the tools, and quotes what they found.

    It knows only the request: no graph, no files, no network, no state between requests.
    """

    @property
    def name(self) -> str:
        return EXTRACTIVE

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

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Yields tool requests, or the answer line by line, then `Finished`; raises nothing."""
        if request.purpose == "title":
            asked = _ASKED.search(request.messages[-1].content)
            yield TextChunk(condensed(asked["question"] if asked else ""))
            yield Finished("stop", Usage(cost_usd=0.0))
            return
        turn = _Turn(request)
        calls = turn.calls()
        if calls:
            for call in calls:
                yield ToolRequestChunk(ToolRequest(f"call_{uuid.uuid4().hex[:16]}", call.tool, dict(call.arguments)))
            yield Finished("tool_calls", Usage(cost_usd=0.0))
            return
        for piece in _PIECE.findall(turn.answer()):
            yield TextChunk(piece)
        yield Finished("stop", Usage(cost_usd=0.0))

    async def aclose(self) -> None:
        """Nothing is open."""


class _Turn:
    """One request, taken apart: the question, what came before it, and what the tools gave since."""

    def __init__(self, request: ModelRequest) -> None:
        self._offered = {spec.name: spec.parameters for spec in request.tools}
        at = max((n for n, each in enumerate(request.messages) if each.role == "user"), default=-1)
        earlier = request.messages[:at] if at > 0 else ()
        text = request.messages[at].content if at >= 0 else ""
        text, given = split_given(text)
        self._earlier = earlier
        before = self._before = [split_given(each.content)[0] for each in earlier if each.role == "user"]
        self._steps = _steps(request.messages[at + 1 :])
        self._folded = [] if self._offered or self._steps else _folded(request.system)
        self._questions: list[tuple[Question, str]] = []
        read = doubted(text, before, earlier) if not given else None
        read = read_questions(text, before) if read is None else read
        forms = {each.form for each in read}
        # A lone name behind an answer may be what should have been looked up.
        quoted = "what" not in forms or is_amount(text)
        notes = noted_before(earlier, quoted=quoted) if forms <= {"search", "noted", "what"} else ()
        corrected = [note for note in notes if corrects(text, note)]
        if not corrected and forms <= {"search", "noted", "what"} and (note := taken_back(text, earlier)):
            corrected = [note]
        # Of several notes it may mean any.
        self._corrected = corrected[0] if len(corrected) == 1 else ""
        if len(corrected) > 1 and read[0].form != "noted":
            read = (Question("which note", text=text),)
        elif self._corrected:
            read = (Question("noted", text=text),)
        # What a program wrote is looked for as it stands, before anything is made of its words.
        self._before_it = 0
        self._nowhere = False
        message = pasted(text, read) if not given and not self._corrected else None
        if message is not None and self._can_grep:
            question = message_question(message, text)
            if not is_nowhere(question, self._found(question)):
                self._questions.append((question, message.text))
                return
            self._before_it, self._nowhere = 1, message.sure and not was_cut(self._found(question))
        for asked in read:
            question = replace(asked, days=days_asked(asked.text, request.system)) if asked.form in _DATED else asked
            if given and (is_about_given(question) or asks_for_decisions(question)):
                continue
            ahead = self._questions[-1][0].target if self._questions else None
            if question.target.kind == "pronoun" and ahead is not None and ahead.kind in ("name", "file"):
                targets: tuple[Target, ...] = (ahead,)  # "Where is X and who calls it?"
            elif question.form == "said" and question.target.kind == "pronoun" and (topic := topic_of(earlier)):
                targets = (Target("words", topic),)
            elif _GOES_ON.match(text) and self._asked_before(question) and (callers := last_items(earlier)):
                targets = callers
            else:
                targets = resolve_target(question.target, earlier, request.system)
            self._questions.extend((asked_of(question, target), target.text) for target in targets)
        if given:
            self._questions.append((Question("given", text=given), ""))

    def _asked_before(self, question: Question) -> bool:
        """Whether a pronoun is asked the same that was asked just before: "who calls X?", "and who calls that?"."""
        if question.target.kind != "pronoun" or not self._before:
            return False
        return {each.form for each in read_questions(self._before[-1], self._before[:-1])} == {question.form}

    def calls(self) -> list[Call]:
        """What to ask the tools now."""
        if len(self._steps) - self._before_it >= MAX_STEPS or not self._offered:
            return []
        wanted: dict[str, Call] = {}
        for question, _ in self._questions:
            for call in next_calls(question, self._found(question)):
                fitting = self._fitting(call)
                if fitting is not None:
                    wanted.setdefault(fitting.key, fitting)
        asked = {each.call.key for step in self._steps for each in step}
        return [call for key, call in wanted.items() if key not in asked]

    def answer(self) -> str:
        """The whole answer."""
        if not self._questions:
            return UNCLEAR
        parts = [NO_LINE_HAS_IT] if self._nowhere else []
        for question, text in self._questions:
            if question.form == "noted":
                kept = not self._offered or "search_conversation" in self._offered
                parts.append(noted(question.text, self._corrected, self._found(question)) if kept else NOT_KEPT)
            elif question.form == "taken back":
                parts.append(retraction(question.text, last_noted(question.text, self._earlier), self._found(question)))
            elif question.form in _SMALL_TALK:
                parts.append(_SMALL_TALK[question.form])
            elif question.form == "given":
                parts.append("\n".join(named_code(question.text, self._found(question))))
            elif question.form == "recap":
                given = next((each.value for each in self._found(question) if isinstance(each.value, dict)), {})
                told = "\n".join(recapitulated(question, self._before, given))
                parts.append(NOTHING_KEPT if self._forgets and says_nothing(told) else told)
            elif not text and question.form not in WHOLE and not search_words(question):
                parts.append(UNCLEAR)
            else:
                asked = text or " ".join(search_words(question))
                without = NOTHING_KEPT if question.form == "said" and self._forgets else NO_TOOLS
                parts.append(write(question, asked, self._found(question)) or without)
        return "\n\n".join(parts)

    @property
    def _can_grep(self) -> bool:
        return bool(self._folded) or "grep_code" in self._offered

    @property
    def _forgets(self) -> bool:
        """Whether tools are offered, and none that looks at what was said in other conversations."""
        memory = {"search_conversation", "list_decisions", "recent_conversations"}
        return bool(self._offered) and not memory & self._offered.keys()

    def _found(self, question: Question) -> list[Found]:
        """What the tools gave for this question, in the order of the plan."""
        if self._folded:
            return self._folded
        given = {each.call.key: each for step in self._steps for each in step}
        found: list[Found] = []
        for _ in range(MAX_STEPS):
            new = [
                given[key]
                for call in next_calls(question, found)
                if (fitting := self._fitting(call)) is not None and (key := fitting.key) in given
            ]
            if not new:
                break
            found.extend(new)
        return found

    def _fitting(self, call: Call) -> Call | None:
        """The call, where a tool of that name with those arguments is offered."""
        if not self._offered:
            return call
        parameters = self._offered.get(call.tool)
        if parameters is None:
            return call if call.tool in _UNLISTED and "read_scope" in self._offered else None
        known = parameters.get("properties", {})
        return Call(call.tool, tuple(pair for pair in call.arguments if pair[0] in known))


def _steps(messages: Sequence[ChatMessage]) -> list[list[Found]]:
    """The tool calls made since the question, step by step, with what they gave."""
    steps: list[list[Found]] = []
    outcomes = {outcome.id: outcome for each in messages for outcome in each.tool_outcomes}
    for message in messages:
        if not message.tool_requests:
            continue
        step = []
        for request in message.tool_requests:
            call = Call(request.name, tuple(request.arguments.items()))
            outcome = outcomes.get(request.id)
            if outcome is None:
                step.append(Found(call, None, "the tool gave no result"))
                continue
            if outcome.is_error:
                said = _decoded(outcome.content).get("error")
                step.append(Found(call, None, str(said or outcome.content), outcome.error_kind))
            else:
                step.append(_given(call, outcome.content))
        steps.append(step)
    return steps


def _folded(system: str) -> list[Found]:
    return [_given(Call(each["tool"], ()), each["content"]) for each in _FOLDED.finditer(system)]


def _given(call: Call, content: str) -> Found:
    """What a call gave; a failure where that is nothing to quote from.

    The tools that are asked give objects: what is none was shortened to fit into the prompt.
    """
    value = _decoded(content)
    if not value or (value.get("truncated") is True and "beginning" in value):
        return Found(call, None, "what the tool found is too long to quote; ask for less")
    return Found(call, value)


def _decoded(content: str) -> dict[str, Any]:
    """The object that a result is; an empty one where it is none."""
    try:
        value = json.loads(content)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
