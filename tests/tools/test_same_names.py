"""Several definitions of one name: each has its own inheritors, and the one that is meant comes first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools.conftest import Run

pytestmark = pytest.mark.anyio

FILES = {
    "jobs/worker.py": "class Worker:\n    pass\n\n\nclass Nightly(Worker):\n    pass\n",
    "mail/worker.py": "class Worker:\n    pass\n\n\nclass Sender(Worker):\n    pass\n",
    "mail/fast.py": "from mail import worker\n\n\nclass Courier(worker.Worker):\n    pass\n",
    "web/pool.py": "from elsewhere import Worker\n\n\nclass Crawler(Worker):\n    pass\n",
    "web/shapes.ts": "interface Shape { area(): number }\nclass Square implements Shape { area() { return 1 } }\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project's files."""
    for name, text in FILES.items():
        path = tmp_path / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "shop"


def below(value: dict[str, Any]) -> dict[str, list[tuple[str, str, list[int]]]]:
    return {
        each["file"]: [(one["qualified_name"], one["file"], one["lines"]) for one in each["subclasses"]]
        for each in value["scopes"]
    }


async def test_each_class_has_its_own_inheritors(run: Run) -> None:
    found = below((await run("find_callers", name="Worker")).value)
    assert found == {
        "jobs/worker.py": [("Nightly", "jobs/worker.py", [5])],
        "mail/worker.py": [("Courier", "mail/fast.py", [4]), ("Sender", "mail/worker.py", [5])],
    }


async def test_what_implements_an_interface_is_below_it(run: Run) -> None:
    found = below((await run("find_callers", name="Shape")).value)
    assert found == {"web/shapes.ts": [("Square", "web/shapes.ts", [2])]}
