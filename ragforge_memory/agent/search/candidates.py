"""The two lists of a search, by words and by meaning, read at the same time; either may miss."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from ragforge_memory.embeddings.calibration import similarity
from ragforge_memory.errors import ConversationNotFound, EmbeddingError, RagforgeError, SpaceMoved
from ragforge_memory.text.words import is_same

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder, Vector

log = logging.getLogger(__name__)

T = TypeVar("T")
U = TypeVar("U")

TEXT = "text"
MEANING = "meaning"

# A question's vector takes 2 ms; a model that is fetched or loaded first is not waited for longer than this.
EMBEDDING_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Candidates(Generic[T, U]):
    """What was found by words and by meaning; None where that could not be searched."""

    text: T | None = None
    meaning: U | None = None

    @property
    def answered(self) -> tuple[str, ...]:
        """How was searched."""
        return tuple(tier for tier, found in ((TEXT, self.text), (MEANING, self.meaning)) if found is not None)

    @property
    def missed(self) -> tuple[str, ...]:
        """How was not."""
        return tuple(tier for tier, found in ((TEXT, self.text), (MEANING, self.meaning)) if found is None)


async def both(
    embedder: Embedder | None, by_words: Callable[[], Awaitable[T]], by_meaning: Callable[[], Awaitable[U]]
) -> Candidates[T, U]:
    """Both lists; the log says which of them missed, and why.

    Raises:
        ConversationNotFound: there is no such conversation (any more).
        RagforgeError: neither could be had: what the first of them failed with.
    """
    text, meaning = await asyncio.gather(_or_error(by_words), _or_error(lambda: following(by_meaning)))
    for outcome in (text, meaning):
        if isinstance(outcome, ConversationNotFound):
            raise outcome
    if isinstance(text, RagforgeError):
        if isinstance(meaning, RagforgeError):
            raise text
        log.warning("search without words: %s", text)
        return Candidates(meaning=meaning)
    if isinstance(meaning, RagforgeError):
        log.log(logging.WARNING if embedder is not None else logging.DEBUG, "by words alone: %s", meaning)
        return Candidates(text)
    return Candidates(text, meaning)


async def question_vector(embedder: Embedder | None, query: str, *, stored: bool) -> Vector:
    """The vector of a question, computed once.

    Args:
        embedder: makes the vectors; None: nothing is embedded here.
        query: the question.
        stored: whether there are vectors to compare it with, and they are wanted.

    Raises:
        EmbeddingError: nothing is embedded here, or the embedder failed or was not there in time.
    """
    if embedder is None or not stored:
        raise EmbeddingError("nothing is embedded here", hint="`ragforge doctor` says why")
    try:
        async with asyncio.timeout(EMBEDDING_SECONDS):
            return await embedder.embed_query(query)
    except TimeoutError as error:
        raise EmbeddingError(f"the question's vector was not there within {EMBEDDING_SECONDS:g} s") from error


def similarity_to(
    embedder: Embedder | None, query: str, texts: Iterable[str | None], cosine: float | None
) -> float | None:
    """How similar to a question something is; None where that was not compared.

    Args:
        embedder: makes the vectors; None: nothing is embedded here.
        query: the question.
        texts: what it says: one that is the question itself is as similar as can be, since models that read questions
            otherwise than texts give the same text two vectors.
        cosine: of its vector and the question's.
    """
    if cosine is None or embedder is None:
        return None
    same = any(is_same(text or "", query) for text in texts)
    return 1.0 if same else similarity(cosine, embedder.unrelated_cosine)


async def following(work: Callable[[], Awaitable[T]]) -> T:
    """What ``work`` gives, tried once more where the project's vectors have moved meanwhile: the stores, and where it
    can be had the embedder, have gone along by then."""
    try:
        return await work()
    except SpaceMoved:
        return await work()


async def _or_error(work: Callable[[], Awaitable[T]]) -> T | RagforgeError:
    try:
        return await work()
    except RagforgeError as error:
        return error
