"""Samples are projects to read, not tests to run; what holds for each is tested file by file."""

import pytest

pytest.register_assert_rewrite("tests.code.graphs")

collect_ignore = ["samples"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Gives the tests of `SampleTests` each path of their sample."""
    sample = getattr(metafunc.cls, "sample", None)
    for name, paths in (("scopes_path", "scopes"), ("edges_path", "edges")):
        if sample is not None and name in metafunc.fixturenames:
            metafunc.parametrize(name, list(getattr(sample, paths)))
