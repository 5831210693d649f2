"""What the environment says: ``${VAR}`` in values, and the variables that override keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from ragforge_memory.errors import ConfigError

Path = tuple[str, ...]

_PLACE = re.compile(r"\$(?P<escaped>\$)?\{(?P<body>[^}]*)(?P<end>\}?)")
_BODY = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>.*))?", re.DOTALL)

# Variable → key. The last seven are those of the memory tools' own configuration (document 5).
_OVERRIDES: dict[str, Path] = {
    "NEO4J_URI": ("neo4j", "uri"),
    "NEO4J_USERNAME": ("neo4j", "username"),
    "NEO4J_PASSWORD": ("neo4j", "password"),
    "NEO4J_DATABASE": ("neo4j", "database"),
    "ENABLE_TOOL_BASED_MEMORY": ("agent", "memory", "tools", "enabled"),
    "MEMORY_TOOL_ASYNC": ("agent", "memory", "tools", "async"),
    "MEMORY_TOOL_TIMEOUT_MS": ("agent", "memory", "tools", "timeout_ms"),
    "MEMORY_TOOL_QUEUE_SIZE": ("agent", "memory", "tools", "queue_size"),
    "ENABLE_AUTOMATED_MEMORY_FALLBACK": ("agent", "memory", "tools", "automated_fallback"),
    "FACT_CONFIDENCE_THRESHOLD": ("agent", "memory", "tools", "confidence_threshold"),
    "SEMANTIC_SIMILARITY_THRESHOLD": ("agent", "memory", "tools", "similarity_threshold"),
}

VENDOR_VARIABLES: dict[str, tuple[str, str]] = {
    "gemini": ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
}
"""Vendor → the variables of its key and of its address; they override only an ``llm`` block of that vendor."""


def substitute(text: str, environ: Mapping[str, str], *, file: str, line: int, key: str) -> tuple[str, tuple[str, ...]]:
    """Puts the environment's values in place of ``${VAR}`` and ``${VAR:-default}``, and names them.

    An unset variable gives nothing; the default is taken where the variable is unset or empty, as a shell
    does it. ``$${`` is a literal ``${``. What comes in is never read as YAML.

    Raises:
        ConfigError: ``${`` without its end, or a name that is none.
    """
    if "${" not in text:
        return text, ()
    variables: list[str] = []

    def value(match: re.Match[str]) -> str:
        if match["escaped"]:
            return match.group()[1:]
        body = _BODY.fullmatch(match["body"])
        if body is None or not match["end"]:
            told = f"{match.group()!r} is not ${{NAME}} or ${{NAME:-default}}"
            raise ConfigError(told, hint="write $${ for a literal ${", file=file, line=line, key=key)
        variables.append(body["name"])
        return environ.get(body["name"]) or body["default"] or ""

    return _PLACE.sub(value, text), tuple(variables)


def overrides(environ: Mapping[str, str], llm_provider: str | None) -> Iterator[tuple[str, Path, str]]:
    """(variable, key, value) of each variable that is set, and not empty, and overrides a key.

    Args:
        environ: the environment.
        llm_provider: the provider that the file's ``llm`` block names; None where there is no such block.
    """
    table = dict(_OVERRIDES)
    if llm_provider in VENDOR_VARIABLES:
        key, address = VENDOR_VARIABLES[llm_provider]
        table |= {key: ("llm", "api_key"), address: ("llm", "base_url")}
    for variable, path in table.items():
        value = environ.get(variable, "").strip()
        if value:
            yield variable, path, value


def address_fault(url: str) -> str | None:
    """What is wrong with the address of a vendor's API, in words; None: nothing that can be seen."""
    scheme, separator, _ = url.partition("://")
    if not separator:
        return "the address has no scheme (http:// or https://)"
    if scheme.lower() not in ("http", "https"):
        return f"{scheme}:// is not an address of a model; models are asked by http:// or https://"
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - to ask for it checks it
    except ValueError:
        return "its host or port cannot be read"
    return None if parts.hostname else "the address has no host"
