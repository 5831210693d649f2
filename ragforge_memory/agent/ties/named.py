"""What code a question names, and what its answer is about: names for the graph to resolve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ragforge_memory.code.mentions import Mentions, find_mentions, find_plain_constants, find_plain_types
from ragforge_memory.code.parsed import TYPE_TYPES
from ragforge_memory.graph.messages import CodeTies, Mention
from ragforge_memory.models.code import ScopeTie
from ragforge_memory.text.forms import is_question, read_form

# Where a capital exports a name, functions have one too.
_EXPORTED = tuple(f"{kind}@{language}" for kind in ("function", "method") for language in ("go", "csharp"))
_TYPES = (*sorted(TYPE_TYPES), *_EXPORTED)


@dataclass(frozen=True)
class Question:
    """A user's message: what it names and whether it states something about that."""

    text: str

    @cached_property
    def names(self) -> tuple[Mention, ...]:
        """The names in it, each once; a plain word is one where a type, an exported function or a constant may go by
        it."""
        plain = (Mention(each, types=_TYPES) for each in find_plain_types(self.text))
        constants = (Mention(each, types=("constant",)) for each in find_plain_constants(self.text))
        return tuple(dict.fromkeys((*map(Mention.of, self._mentions.names), *plain, *constants)))

    @cached_property
    def told(self) -> tuple[Mention, ...]:
        """Those that it states something about: none where it only asks."""
        return () if read_form(self.text) is None and is_question(self.text) else self.names

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files in it."""
        return self._mentions.files

    @cached_property
    def _mentions(self) -> Mentions:
        return find_mentions(self.text)


def answer_ties(question: Question, answer: str, touched: tuple[ScopeTie, ...] = (), *, echo: bool = False) -> CodeTies:
    """What an answer, and the question that it answers, are tied to.

    "It multiplies by 31" is about what its question named.

    Args:
        question: what was asked.
        answer: what was said to that.
        touched: what tools read, edited or tested for it.
        echo: the answer only quotes messages: it is about their code through them, and no decision again.
    """
    mentions = Mentions() if echo else find_mentions(answer)
    answered = () if echo or question.told or not answer.strip() else question.names
    return CodeTies(
        touched=touched,
        mentions=tuple(dict.fromkeys((*answered, *map(Mention.of, mentions.names)))),
        files=(*question.files, *mentions.files),
        told=question.told,
    )
