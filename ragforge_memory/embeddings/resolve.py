"""Which embedder a configuration and an environment give, and why."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ragforge_memory.config import EmbeddingsConfig, RagforgeConfig
from ragforge_memory.embeddings import local
from ragforge_memory.embeddings.gemini import GeminiEmbedder
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.embeddings.openai import OpenAIEmbedder
from ragforge_memory.embeddings.port import Embedder
from ragforge_memory.errors import ConfigError
from ragforge_memory.vendors.access import Access, access_to
from ragforge_memory.vendors.openai import INSTALL_COMMAND, is_installed

if TYPE_CHECKING:
    from ragforge_memory.downloads.progress import Reporter

_logger = logging.getLogger("ragforge_memory")
_warned: set[str] = set()


@dataclass(frozen=True, slots=True)
class EmbedderResolution:
    """The embedder, or None: search is by text alone then. ``why`` is one sentence, ``hint`` what would change it."""

    embedder: Embedder | None
    why: str
    hint: str | None = None


def resolve_embedder(
    config: RagforgeConfig, environ: Mapping[str, str], *, progress: Reporter | None = None
) -> EmbedderResolution:
    """Chooses the embedder; loads and asks nothing.

    What the configuration names is taken, or nothing where it cannot be had. Where it names nothing: the local
    model if the ``local`` extra is installed, else Gemini or OpenAI by the key in the environment. Where an
    embedder was wanted and there is none, one warning a process is logged.

    Args:
        config: ``agent.memory.embeddings`` and, for keys and addresses, ``llm``.
        environ: the environment: the vendors' keys and addresses.
        progress: told of the local model's download.
    """
    wanted = config.agent.memory.embeddings
    if not wanted.enabled:
        return EmbedderResolution(None, "embeddings are off (agent.memory.embeddings.enabled)")
    found = (_chosen if wanted.chosen else _default)(wanted, config, environ, progress)
    if found.embedder is None:
        _warn_once(f"search is by text alone: {found.why}" + (f" ({found.hint})" if found.hint else ""))
    return found


# Of a model that a caller names: what the configuration would have to say is no help there.
_HINTS = {
    "provider": "name it PROVIDER:MODEL, as local:e5-small-v2 or openai:text-embedding-3-small",
    "no_dimension": "give its dimension too, the number of floats that it gives",
}


def named_embedder(
    name: str,
    config: RagforgeConfig,
    environ: Mapping[str, str],
    *,
    dimension: int | None = None,
    progress: Reporter | None = None,
) -> EmbedderResolution:
    """The embedder of a model, with the keys and addresses that the configuration and the environment have.

    Args:
        name: ``provider:model``, or a model whose provider is known.
        config, environ, progress: as in `resolve_embedder`.
        dimension: floats in a vector; None: the model's own.

    Raises:
        ConfigError: there is no such model, or not with this dimension.
    """
    provider, _, model = name.rpartition(":")
    given = {"provider": provider or None, "model": model, "dimension": dimension}
    try:
        wanted = EmbeddingsConfig.model_validate({key: value for key, value in given.items() if value is not None})
    except ValidationError as error:
        reason = error.errors()[0]
        context = reason.get("ctx", {})
        known = _HINTS.get(reason["type"]) or _HINTS.get(context.get("key", ""))
        hint = known or context.get("hint") or _HINTS["provider"]
        raise ConfigError(f"the embedding model {name!r} cannot be used: {reason['msg']}", hint=hint) from error
    return _chosen(wanted, config, environ, progress)


def _chosen(
    wanted: EmbeddingsConfig, config: RagforgeConfig, environ: Mapping[str, str], progress: Reporter | None
) -> EmbedderResolution:
    why = f"the configuration names {wanted.provider}:{wanted.model}"
    match wanted.provider:
        case "local":
            if not local.is_installed():
                return EmbedderResolution(
                    None, f"{why}, but the local extra is not installed", f"run: {local.INSTALL_COMMAND}"
                )
            return EmbedderResolution(local.LocalEmbedder(wanted.model, progress=progress), why)
        case "gemini":
            access = access_to("gemini", config.llm, environ)
            if not access.key:
                return EmbedderResolution(None, f"{why}, but there is no key", "set GEMINI_API_KEY")
            gemini = GeminiEmbedder(
                wanted.model, api_key=access.key, dimension=wanted.dimension, base_url=access.address
            )
            return EmbedderResolution(gemini, why)
        case "openai":
            return _openai(wanted.model, wanted.dimension, access_to("openai", config.llm, environ), why)
        case "hashing":
            return EmbedderResolution(HashingEmbedder(wanted.dimension, model=wanted.model), why)


def _default(
    wanted: EmbeddingsConfig, config: RagforgeConfig, environ: Mapping[str, str], progress: Reporter | None
) -> EmbedderResolution:
    if local.is_installed():
        return EmbedderResolution(local.LocalEmbedder(wanted.model, progress=progress), "the local extra is installed")
    missing = "the local extra is not installed"
    gemini = access_to("gemini", config.llm, environ)
    if gemini.key:
        return EmbedderResolution(
            GeminiEmbedder(api_key=gemini.key, base_url=gemini.address), f"{missing}, and there is a key for Gemini"
        )
    openai = access_to("openai", config.llm, environ)
    # A key for OpenAI's own service says nothing of what another address can embed with.
    if openai.key and openai.address is None and is_installed():
        return _openai("text-embedding-3-small", None, openai, f"{missing}, and there is a key for OpenAI")
    return EmbedderResolution(None, f"{missing} and there is no key for another model", f"run: {local.INSTALL_COMMAND}")


def _openai(model: str, dimension: int | None, access: Access, why: str) -> EmbedderResolution:
    if not is_installed():
        return EmbedderResolution(None, f"{why}, but the openai extra is not installed", f"run: {INSTALL_COMMAND}")
    if not access.key and access.address is None:
        return EmbedderResolution(
            None, f"{why}, but there is neither a key nor an address", "set OPENAI_API_KEY or OPENAI_BASE_URL"
        )
    embedder = OpenAIEmbedder(model, api_key=access.key, dimension=dimension, base_url=access.address)
    return EmbedderResolution(embedder, why)


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        _logger.warning(message)
