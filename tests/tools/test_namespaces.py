"""Names asked for with their namespaces, which are not part of the names that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools.conftest import Run, write_files

pytestmark = pytest.mark.anyio

FILES = {
    "a.cpp": (
        "namespace geo {\nclass Circle {\n public:\n  double area() const { return 1; }\n};\n"
        "namespace detail { double half(double x); }\ndouble detail::half(double x) { return x / 2; }\n"
        "double quarter(double x) { return detail::half(detail::half(x)); }\n}\n"
        "namespace other { class Circle { double area() const { return 2; } }; }\n"
        "int main() { return geo::quarter(4); }\n"
    ),
    "b.py": "def quarter(): ...\n",
    "c.php": (
        "<?php\nnamespace FastRoute\\Data;\nfunction half($a) { return $a; }\nclass Marked { function run() {} }\n"
    ),
    "d.php": "<?php\nnamespace FastRoute\\Web;\nclass Marked { function run() {} }\n",
    "e.cs": "namespace A.B;\npublic class Widget {\n  int n;\n  public Widget(int n) { this.n = n; }\n}\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project's files."""
    return write_files(tmp_path / "shop", FILES)


def lines(value: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["file"], each["line"]) for each in value["scopes"]]


async def test_a_name_may_be_asked_for_with_its_namespace(run: Run) -> None:
    for name, found in [
        ("geo::Circle", [2]),
        ("other::Circle", [10]),
        ("geo::Circle::area", [4]),
        ("geo::quarter", [8]),
        ("geo::detail::half", [7]),
        ("far::Circle", []),
        ("other::quarter", []),
        ("geo.Circle", []),
    ]:
        assert lines((await run("read_scope", name=name)).value) == [("a.cpp", line) for line in found], name
    (scope,) = (await run("find_callers", name="geo::quarter")).value["scopes"]
    assert [each["qualified_name"] for each in scope["callers"]] == ["main"]
    for name, places in [
        (r"\FastRoute\Data\half()", [("c.php", 3)]),
        (r"Data\Marked", [("c.php", 4)]),
        (r"FastRoute\Web\Marked::run", [("d.php", 3)]),
        ("B.Widget", [("e.cs", 2), ("e.cs", 4)]),
    ]:
        value = (await run("read_scope", name=name)).value
        assert (value["match"], lines(value)) == ("exact", places), name
    for name in (r"Slim\half", r"Slim\Marked", "System.Widget", r"Fast\Data\half"):
        assert (await run("read_scope", name=name)).value["match"] != "exact", name
