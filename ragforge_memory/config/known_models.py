"""What is known of models by name: who serves an embedding model, its dimension, and what was shut down.

Pure tables. Sources: the vendors' deprecation pages and model cards as read on 2026-11-21.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

EmbeddingProvider = Literal["local", "gemini", "openai", "hashing"]

CHAT_PROVIDERS = ("gemini", "openai", "extractive", "scripted")
DEFAULT_CHAT_MODEL = "gemini-3.8-flash"


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """One embedding model. ``dimension`` is what is asked for by default; ``allowed`` is what can be asked for.

    An empty ``allowed`` means that only ``dimension`` comes; otherwise it is (smallest, largest).
    """

    provider: EmbeddingProvider
    dimension: int
    allowed: tuple[int, int] | None = None


# Gemini's models default to 3072 floats; 768 is the smallest that Google recommends, a quarter of the store.
EMBEDDING_MODELS: dict[str, EmbeddingModel] = {
    "e5-small-v2": EmbeddingModel("local", 384),
    "all-minilm-l6-v2": EmbeddingModel("local", 384),
    "bge-small-en-v1.5": EmbeddingModel("local", 384),
    "gemini-embedding-001": EmbeddingModel("gemini", 768, (128, 3072)),
    "gemini-embedding-2": EmbeddingModel("gemini", 768, (128, 3072)),
    "text-embedding-3-small": EmbeddingModel("openai", 1536, (1, 1536)),
    "text-embedding-3-large": EmbeddingModel("openai", 3072, (1, 3072)),
    "text-embedding-ada-002": EmbeddingModel("openai", 1536),
    "hashing": EmbeddingModel("hashing", 384, (1, 4096)),
}

DEFAULT_EMBEDDING_MODELS: dict[EmbeddingProvider, str] = {
    "local": "e5-small-v2",
    "gemini": "gemini-embedding-2",
    "openai": "text-embedding-3-small",
    "hashing": "hashing",
}

# The artifacts' own names, and the usual spellings of the same models elsewhere.
_ALIASES = {
    "e5-small-v2-q": "e5-small-v2",
    "intfloat/e5-small-v2": "e5-small-v2",
    "all-minilm-l6-v2-q": "all-minilm-l6-v2",
    "sentence-transformers/all-minilm-l6-v2": "all-minilm-l6-v2",
    "bge-small-en-v15": "bge-small-en-v1.5",
    "bge-small-en-v15-q": "bge-small-en-v1.5",
    "bge-small-en-v1.5-q": "bge-small-en-v1.5",
    "baai/bge-small-en-v1.5": "bge-small-en-v1.5",
}


@dataclass(frozen=True, slots=True)
class Retired:
    """A model that its vendor shuts down: on which day (ISO date), and what takes its place."""

    since: str
    successor: str


RETIRED_EMBEDDING_MODELS: dict[str, Retired] = {
    "text-embedding-004": Retired("2026-01-14", "gemini-embedding-2"),
    "embedding-001": Retired("2025-10-30", "gemini-embedding-2"),
    "embedding-gecko-001": Retired("2025-10-30", "gemini-embedding-2"),
    "gemini-embedding-exp-03-07": Retired("2025-10-30", "gemini-embedding-2"),
    "gemini-embedding-exp": Retired("2025-10-30", "gemini-embedding-2"),
}

RETIRED_CHAT_MODELS: dict[str, Retired] = {
    "gemini-pro": Retired("2025-02-15", DEFAULT_CHAT_MODEL),
    "gemini-1.0-pro": Retired("2025-02-15", DEFAULT_CHAT_MODEL),
    "gemini-1.0-pro-vision": Retired("2024-07-12", DEFAULT_CHAT_MODEL),
    "gemini-pro-vision": Retired("2024-07-12", DEFAULT_CHAT_MODEL),
    "gemini-1.5-flash": Retired("2025-09-29", DEFAULT_CHAT_MODEL),
    "gemini-1.5-flash-8b": Retired("2025-09-29", DEFAULT_CHAT_MODEL),
    "gemini-1.5-pro": Retired("2025-09-29", DEFAULT_CHAT_MODEL),
    "gemini-2.0-flash": Retired("2026-06-01", "gemini-3.5-flash"),
    "gemini-2.0-flash-001": Retired("2026-06-01", "gemini-3.5-flash"),
    "gemini-2.0-flash-lite": Retired("2026-06-01", "gemini-3.1-flash-lite"),
    "gemini-2.0-flash-lite-001": Retired("2026-06-01", "gemini-3.1-flash-lite"),
    "gemini-3-pro-preview": Retired("2026-03-09", "gemini-3.1-pro-preview"),
    "gemini-2.5-pro": Retired("2026-12-01", DEFAULT_CHAT_MODEL),
    "gemini-2.5-flash": Retired("2026-12-01", "gemini-3.5-flash-lite"),
    "gemini-2.5-flash-lite": Retired("2026-12-01", "gemini-3.5-flash-lite"),
}

# OpenAI's own service alone: other servers may call their models as they like.
RETIRED_OPENAI_MODELS: dict[str, Retired] = {
    "chatgpt-4o-latest": Retired("2026-02-17", "gpt-6-luna"),
    "gpt-3.5-turbo": Retired("2026-10-23", "gpt-5.6-terra"),
    "gpt-4": Retired("2026-10-23", "gpt-5.6-sol"),
    "gpt-4-turbo": Retired("2026-10-23", "gpt-5.6-sol"),
    "o1": Retired("2026-10-23", "gpt-5.6-sol"),
    "o3-mini": Retired("2026-10-23", "gpt-5.6-sol"),
    "o4-mini": Retired("2026-10-23", "gpt-5.6-terra"),
    "gpt-5": Retired("2026-12-11", "gpt-6.1-sol"),
    "gpt-5-mini": Retired("2026-12-11", "gpt-6.1-terra"),
    "gpt-4o": Retired("2027-01-14", "gpt-6-luna"),
    "gpt-4o-mini": Retired("2027-01-14", "gpt-6-luna"),
    "gpt-4.1": Retired("2027-01-14", "gpt-6-luna"),
    "gpt-4.1-mini": Retired("2027-01-14", "gpt-6-luna"),
}


def embedding_model_name(name: str) -> str:
    """The one spelling of an embedding model's name (``models/`` and vendor prefixes taken off)."""
    bare = name.strip().removeprefix("models/")
    return _ALIASES.get(bare.lower(), bare)


def provider_of_embedding_model(name: str) -> EmbeddingProvider | None:
    """Who serves this embedding model, or None where its name does not tell."""
    bare = embedding_model_name(name)
    known = EMBEDDING_MODELS.get(bare)
    if known is not None:
        return known.provider
    if bare.startswith("gemini-"):
        return "gemini"
    if bare.startswith(("text-embedding-3", "text-embedding-ada")):
        return "openai"
    return None


def retired_chat_model(name: str, *, today: date | None = None) -> Retired | None:
    """What became of a Gemini model: its last day and successor, or None for one that runs (``today``: the clock's)."""
    bare = name.strip().removeprefix("models/")
    gone = RETIRED_CHAT_MODELS.get(bare) or RETIRED_CHAT_MODELS.get(bare.removesuffix("-latest"))
    return _if_past(gone, today)


def retired_openai_model(name: str, *, today: date | None = None) -> Retired | None:
    """What became of a chat model of OpenAI's own service, or None for one that runs."""
    return _if_past(RETIRED_OPENAI_MODELS.get(name.strip()), today)


def retired_embedding_model(name: str, *, today: date | None = None) -> Retired | None:
    """What became of an embedding model: its last day and successor, or None for one that runs."""
    return _if_past(RETIRED_EMBEDDING_MODELS.get(embedding_model_name(name)), today)


def _if_past(gone: Retired | None, today: date | None) -> Retired | None:
    """The entry once its day has come; a model runs until then."""
    if gone is None or (today or date.today()) < date.fromisoformat(gone.since):
        return None
    return gone


@dataclass(frozen=True, slots=True)
class ChatModelName:
    """A chat model as somebody wrote it, taken apart; what is not told is None."""

    provider: str | None = None
    model: str | None = None
    address: str | None = None


def split_chat_model(text: str) -> ChatModelName:
    """``PROVIDER``, ``PROVIDER:MODEL`` or ``openai:MODEL@http://host:port/v1``; all else is a model's name alone."""
    text = text.strip()
    provider, _, model = text.partition(":")
    if provider not in CHAT_PROVIDERS:
        return ChatModelName(model=text or None)
    if provider == "openai" and "@http" in model:
        model, _, rest = model.partition("@http")
        return ChatModelName(provider, model or None, f"http{rest}")
    return ChatModelName(provider, model or None)


def provider_of_chat_model(name: str, *, has_address: bool = False) -> Literal["gemini", "openai"] | None:
    """Who serves a chat model, or None where its name does not tell.

    Args:
        name: the model's name.
        has_address: whether the address of an OpenAI-compatible server is given.
    """
    bare = name.strip().removeprefix("models/").lower()
    if has_address:
        return "openai"
    if bare.startswith(("gemini-", "gemma-")):
        return "gemini"
    if bare.startswith(("gpt-", "chatgpt-", "o1", "o3", "o4")):
        return "openai"
    return None
