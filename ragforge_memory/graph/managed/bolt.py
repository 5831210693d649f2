"""The first words of the Bolt protocol: enough to know that a server listens and answers."""

from __future__ import annotations

import socket
from typing import Literal, TypeAlias

Answer: TypeAlias = Literal["yes", "refused", "silent"]

# https://neo4j.com/docs/bolt/current/bolt/handshake/: magic, then four versions that the client offers
_HELLO = bytes.fromhex("6060B01700000405000004040000010400000003")


def handshake(port: int, *, timeout: float) -> Answer:
    """Whether a Bolt server answers on a port of this machine.

    Args:
        port: the port.
        timeout: seconds to wait for the connection, and again for the answer.

    Returns:
        ``yes``; ``refused`` if nothing listens or what listens hung up; ``silent`` if nothing came in time.
    """
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
            connection.sendall(_HELLO)
            return "yes" if len(connection.recv(4)) == 4 else "refused"
    except TimeoutError:
        return "silent"
    except OSError:
        return "refused"


def free_port(preferred: int = 0) -> int:
    """A port on 127.0.0.1 that nothing listens on: ``preferred`` if it is free, else any."""
    for port in (preferred, 0):
        with socket.socket() as probe:
            # as the server does it: connections of a server that has just stopped do not block its port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            number: int = probe.getsockname()[1]
            return number
    raise OSError("no free port on 127.0.0.1")
