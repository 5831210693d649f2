"""Who holds a lease, and whether it still runs."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from ragforge_memory.errors import GraphUnavailable
from ragforge_memory.graph.anchors import AnchorStore, SaidOfNow
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.leases import holder, is_dead
from ragforge_memory.models.owner import Owner

CHILD = "from ragforge_memory.graph.leases import holder; print(holder(), flush=True); input()"


@pytest.fixture
def child() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Another process, and what it is called as a holder."""
    process = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.kill()


def test_one_that_runs_is_not_dead_and_one_that_ended_is(child: tuple[subprocess.Popen[str], str]) -> None:
    process, name = child
    assert not is_dead(name)
    assert not is_dead(holder())

    process.communicate("\n")
    assert is_dead(name)


def test_of_another_container_with_the_same_host_name_nothing_is_known(
    child: tuple[subprocess.Popen[str], str],
) -> None:
    """Nor of another machine: there the number may be that of a process which runs."""
    process, name = child
    process.communicate("\n")
    where, _, number = name.rpartition(":")
    if where == socket.gethostname():
        pytest.skip("this system tells containers apart by nothing else")

    assert is_dead(name)
    machine, _, container = where.rpartition("/")
    assert not is_dead(f"{machine}/{container}1:{number}")
    assert not is_dead(f"{socket.gethostname()}/another/{container}:{number}")
    assert not is_dead(f"{socket.gethostname()}:{number}")


@pytest.mark.anyio
async def test_anchors_are_written_under_the_lease_alone(client: GraphClient, owner: Owner) -> None:
    store = AnchorStore(client, owner.project)

    with pytest.raises(GraphUnavailable, match="taken over"):
        await store.anchor_anew([SaidOfNow("scope", "anchor", "hash")], token="another's")
