"""How something is run, by the sections of a project's texts that tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from tests.extractive.asking import ask

pytestmark = pytest.mark.anyio


async def asked(agent: AsyncConversationAgent, root: Path, said: str, **files: str) -> list[str]:
    for name, text in files.items():
        path = root / name.replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    await agent.ingest(root)
    return await ask(agent, said)


async def test_commands_below_a_heading(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    text = """# Shop

## Install

```bash
pip install shop
```

## Running the tests

First the settings.

```python
import this
```

```console
$ python -m venv .venv
$ .venv/bin/pip install -e .
$ make check  # the tests
```

## License
```
free
```
"""
    answer = await asked(agent, tmp_path / "project", "how do I run the tests?", README_md=text)
    assert answer == [
        "Under `Running the tests`, README.md:9 has:",
        "```",
        "python -m venv .venv",
        ".venv/bin/pip install -e .",
        "make check  # the tests",
        "```",
    ]
    assert (await ask(agent, "how do I install it?"))[:3] == [
        "Under `Install`, README.md:3 has:",
        "```",
        "pip install shop",
    ]


async def test_restructured_text(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    text = """Contributing
============

Building the docs
-----------------

Build them by Sphinx::

    cd docs
    make html

Open them then.

Tests
-----

.. code-block:: text

    $ tox
"""
    answer = await asked(agent, tmp_path / "project", "how do I build the docs?", CONTRIBUTING_rst=text)
    assert answer == ["Under `Building the docs`, CONTRIBUTING.rst:4 has:", "```", "cd docs", "make html", "```"]
    answer = await ask(agent, "how do I run the tests?")
    assert answer == ["Under `Tests`, CONTRIBUTING.rst:14 has:", "```", "tox", "```"]


async def test_what_is_required_is_no_command(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    text = '[dependency-groups]\ntests = [\n  "pytest>=8",\n  "pytest",\n]\n[tool.pytest.ini_options]\naddopts = "-q"\n'
    answer = await asked(agent, tmp_path / "project", "how do I run the tests?", pyproject_toml=text)
    assert answer == [
        "No text and no settings of this project have a command with `test`, but there is `[tool.pytest.ini_options]` "
        "in `pyproject.toml`; with that it is usually `pytest`."
    ]
