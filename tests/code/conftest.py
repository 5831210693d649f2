"""Samples are projects to read, not tests to run; what holds for each is tested file by file."""

from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("tests.code.graphs")

collect_ignore = ["samples"]


@pytest.fixture(autouse=True)
def every_use_is_looked_up(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What goes wrong with one use ends no ingest; here it is a fault."""
    yield
    assert [each.getMessage() for each in caplog.records if each.name == "ragforge_memory.code.resolve"] == []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Gives the tests of `SampleTests` each path of their sample."""
    sample = getattr(metafunc.cls, "sample", None)
    for name, paths in (("scopes_path", "scopes"), ("edges_path", "edges")):
        if sample is not None and name in metafunc.fixturenames:
            metafunc.parametrize(name, list(getattr(sample, paths)))
