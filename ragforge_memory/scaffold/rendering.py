"""Renders a plan into the files of a project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version

from jinja2 import Environment, PackageLoader, StrictUndefined

from ragforge_memory.scaffold.names import in_text, literal, quoted
from ragforge_memory.scaffold.plan import Plan

_OF_PROJECT = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "Makefile": "Makefile",
    "docker-compose.yml": "docker-compose.yml",
    ".ci/run": "ci_run",
    "{package}/__init__.py": "package.py",
    "{package}/__main__.py": "main.py",
    "{package}/agent.py": "agent.py",
    "{package}/cli.py": "cli.py",
    "{package}/models.py": "models.py",
    "{package}/queries.py": "queries.py",
    "{package}/own_tools.py": "own_tools.py",
    "{package}/tools/__init__.py": "tools.py",
    "tests/conftest.py": "tests_conftest.py",
    "tests/test_agent.py": "tests_agent.py",
    "tests/test_tools.py": "tests_tools.py",
    "queries/README.md": "queries.md",
    "examples/ask.py": "example_ask.py",
    "docs/agent-reference.md": "agent-reference.md",
}
EXECUTABLE = frozenset({".ci/run"})
"""The files that are programs."""
OWN = "own_tools.py"
"""The file of a package that is the team's alone once it is there."""


def render(plan: Plan) -> dict[str, str]:
    """The text of each file of a project, by its path with forward slashes."""
    given = {"plan": plan, "version": version("ragforge-memory")}
    files = {
        path.replace("{package}", plan.package): _rendered(template, given) for path, template in _OF_PROJECT.items()
    }
    for tool in plan.tools:
        more = {**given, "tool": tool, "entity": tool.entity}
        files[f"{plan.package}/tools/{tool.name}.py"] = _rendered(f"tool_{tool.kind}.py", more)
        files[f"queries/{tool.name}.cypher"] = _rendered(f"{tool.kind}.cypher", more)
    return dict(sorted(files.items()))


def render_one(template: str, given: Mapping[str, object]) -> str:
    """The text of one template."""
    return _rendered(template, given)


def _rendered(template: str, given: Mapping[str, object]) -> str:
    return _environment().get_template(f"{template}.jinja").render(**given)


@cache
def _environment() -> Environment:
    # No escaping for HTML: what comes from a configuration goes through a filter of its own at each place.
    environment = Environment(
        loader=PackageLoader("ragforge_memory.scaffold"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters |= {
        "cypher": quoted,
        "literal": literal,
        "text": in_text,
        "python": python,
        "toml": _toml,
        "yaml": _yaml,
    }
    return environment


def python(text: str) -> str:
    """A text as a literal of Python, with the quotes that formatters choose."""
    return json.dumps(text, ensure_ascii=False) if text.isprintable() else repr(text)


def _toml(text: str) -> str:
    """A printable text as TOML has it, and YAML."""
    return json.dumps(text, ensure_ascii=False)


def _yaml(text: str) -> str:
    """A text in the configuration, where ``${`` would begin a variable."""
    return _toml(text).replace("${", "$${")
