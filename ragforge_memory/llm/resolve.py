"""Which model answers: explicit, else the configuration, else a key in the environment, else a local server, else none.

``why`` of the resolution is the sentence that ``ragforge doctor`` and the chat's first line show.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragforge_memory.config.known_models import DEFAULT_CHAT_MODEL, provider_of_chat_model, split_chat_model
from ragforge_memory.errors import ConfigError
from ragforge_memory.llm.local_servers import LOCAL_SERVERS, ServedModel, find_local_servers
from ragforge_memory.llm.port import ModelProvider
from ragforge_memory.llm.timeouts import Timeouts
from ragforge_memory.vendors.access import Access, access_to, requests_allowed
from ragforge_memory.vendors.openai import DEFAULT_ADDRESS, INSTALL_COMMAND, address_of, is_installed

if TYPE_CHECKING:
    from ragforge_memory.config.servers import LLMConfig

NOTHING_FOUND = (
    "no model is configured, neither GEMINI_API_KEY nor OPENAI_API_KEY is set, and no local model server answers"
)
QUOTES = "answers are quotes from the code and the conversations"
NOT_INSTALLED = f"the openai extra is not installed ({INSTALL_COMMAND})"


@dataclass(frozen=True, slots=True)
class Resolution:
    """The provider, its ``provider`` and ``model`` names, and one sentence that says why it is this one.

    ``instead``: the configuration or the environment names another that cannot be used; ``why`` says which.
    """

    provider: ModelProvider
    name: str
    model: str
    why: str
    instead: bool = False


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A model that somebody named, and what is known of how to reach it."""

    provider: str
    why: str
    model: str | None = None
    access: Access = field(default_factory=Access)


async def resolve_model(
    spec: str | ModelProvider | None = None,
    *,
    config: LLMConfig | None = None,
    environ: Mapping[str, str] | None = None,
    timeouts: Timeouts | None = None,
    local_servers: Sequence[tuple[str, int]] = LOCAL_SERVERS,
) -> Resolution:
    """Chooses the chat model and builds its provider. Nothing is asked of a vendor, and no SDK is imported.

    Args:
        spec: a provider; or ``gemini``, ``gemini:MODEL``, ``openai:MODEL``, ``openai:MODEL@http://host:port/v1``,
            ``extractive``, ``scripted:PATH``, or a model's name that tells its provider; None: not told.
        config: the ``llm`` block of the configuration. A block that names a vendor and has no key (its variable is
            not set) counts as absent, as a ``neo4j`` block without an address does; ``why`` says so.
        environ: environment variables; None: the process's.
        timeouts: limits on the model's silence; None: the defaults.
        local_servers: names and ports to probe (200 ms at most, nothing noticeable where none listens).

    Raises:
        ConfigError: the spec or block names no known provider, lacks a key, or names a model that was shut down.
    """
    environ = os.environ if environ is None else environ
    if spec is not None and not isinstance(spec, (str, ModelProvider)):
        raise ConfigError(
            f"llm_provider is a name or a ModelProvider, not {type(spec).__name__}",
            hint="use gemini:MODEL, openai:MODEL, extractive or scripted:PATH",
            key="llm_provider",
        )
    if spec is not None and not isinstance(spec, str):
        return Resolution(spec, spec.name, spec.model, f"{spec.name}:{spec.model}, the provider that was given")
    passed_over = ""
    wanted = _from_spec(spec, config, environ) if spec and spec.strip() else None
    if wanted is None and config is not None:
        wanted, passed_over = _from_config(config, environ)
    if wanted is not None:
        return await _built(wanted, timeouts)
    # From here on nobody asked for this model: what cannot be used is passed over, and said.
    instead = bool(passed_over)
    wanted = _from_environment(environ)
    if wanted is not None and wanted.provider == "openai" and not is_installed():
        passed_over += f"{wanted.why}, but {NOT_INSTALLED}; "
        instead = True
    elif wanted is not None:
        built = await _built(dataclasses.replace(wanted, why=passed_over + wanted.why), timeouts)
        return dataclasses.replace(built, instead=instead)
    if requests_allowed(environ):
        for server in await find_local_servers(local_servers):
            if not is_installed():
                passed_over += f"{server.name} answers at {server.address}, but {NOT_INSTALLED}; "
                break
            served = server.models[0]
            why = f"{server.name} answers at {server.address} and serves {served.name}"
            found = _openai(served, Access(address=server.address), passed_over + why, timeouts)
            return dataclasses.replace(found, instead=instead)
    quotes = _extractive(f"{passed_over}{QUOTES}" if passed_over else f"{NOTHING_FOUND}: {QUOTES}")
    return dataclasses.replace(quotes, instead=instead)


def _from_spec(spec: str, config: LLMConfig | None, environ: Mapping[str, str]) -> _Wanted:
    """What an explicit spec names."""
    given = spec.strip()
    told = split_chat_model(given)
    provider, model, address = told.provider or provider_of_chat_model(given), told.model, told.address
    if provider is None:
        raise ConfigError(
            f"{given!r} names no model provider",
            hint="use gemini:MODEL, openai:MODEL, openai:MODEL@http://host:port/v1, extractive or scripted:PATH",
        )
    # An address in the spec is another server: the block's key is not for it.
    block = config if config is not None and address in (None, config.base_url) else None
    access = access_to(provider, block, environ)
    if address is not None:
        access = dataclasses.replace(access, address=address)
    return _Wanted(provider, f"{given}, as told", model, access)


def _from_config(config: LLMConfig, environ: Mapping[str, str]) -> tuple[_Wanted | None, str]:
    """What the block names; or None, with the beginning of the sentence that says why it was passed over."""
    provider = config.vendor
    if provider is None:
        return None, ""
    access = access_to(provider, config, environ)
    needs_key = provider == "gemini" or (provider == "openai" and not access.address)
    if needs_key and not access.key:
        return None, f"the configuration names {provider}, but there is no key for it; "
    told = f"{provider}:{config.model}" if config.model else provider
    return _Wanted(provider, f"{told}, as the configuration's llm block says", config.model, access), ""


def _from_environment(environ: Mapping[str, str]) -> _Wanted | None:
    for provider, variables in (("gemini", ("GEMINI_API_KEY",)), ("openai", ("OPENAI_API_KEY", "OPENAI_BASE_URL"))):
        named = [variable for variable in variables if environ.get(variable, "").strip()]
        if named:
            why = f"{' and '.join(named)} {'is' if len(named) == 1 else 'are'} set"
            return _Wanted(provider, why, access=access_to(provider, None, environ))
    return None


async def _built(wanted: _Wanted, timeouts: Timeouts | None) -> Resolution:
    match wanted.provider:
        case "gemini":
            from ragforge_memory.llm.gemini import GeminiProvider

            gemini = GeminiProvider(
                wanted.model or DEFAULT_CHAT_MODEL,
                api_key=wanted.access.key or "",
                base_url=wanted.access.address,
                timeouts=timeouts,
            )
            return Resolution(gemini, gemini.name, gemini.model, wanted.why)
        case "openai":
            served = await _served(wanted)
            return _openai(served, wanted.access, wanted.why, timeouts)
        case "scripted":
            from ragforge_memory.llm.scripted import ScriptedProvider

            if not wanted.model:
                raise ConfigError("the scripted provider needs the path of its script", hint="use scripted:PATH")
            scripted = ScriptedProvider.from_file(wanted.model)
            return Resolution(scripted, scripted.name, scripted.model, wanted.why)
        case _:
            return _extractive(wanted.why)


async def _served(wanted: _Wanted) -> ServedModel:
    """The model that is named; else the default of OpenAI's own service, or the first that the server lists."""
    from ragforge_memory.llm.openai import DEFAULT_MODEL, list_models

    if wanted.model:
        return ServedModel(wanted.model)
    address = address_of(wanted.access.address)
    if address == DEFAULT_ADDRESS:
        return ServedModel(DEFAULT_MODEL)
    models = await list_models(address, wanted.access.key)
    if not models:
        raise ConfigError(f"{address} lists no chat model", hint="name one: openai:MODEL", key="llm.model")
    return models[0]


def _openai(served: ServedModel, access: Access, why: str, timeouts: Timeouts | None) -> Resolution:
    from ragforge_memory.llm.openai import OpenAIProvider

    provider = OpenAIProvider(
        served.name,
        api_key=access.key,
        base_url=access.address,
        context_window=served.context_window,
        timeouts=timeouts,
    )
    return Resolution(provider, provider.name, provider.model, why)


def _extractive(why: str) -> Resolution:
    from ragforge_memory.llm.extractive.provider import ExtractiveProvider

    provider = ExtractiveProvider()
    return Resolution(provider, provider.name, provider.model, why)
