"""For each statement that writes: how it is run at the ground, so that it finds something to write.

A new statement that writes is added to one of the tables here, or to `NOT_RUN` with a reason.
"""

from __future__ import annotations

import re

from ragforge_memory.graph.queries import all_statements
from tests.locks.access_writes import ACCESS
from tests.locks.code_writes import CODE, SPACES
from tests.locks.moved_writes import MOVED
from tests.locks.project_writes import PROJECTS
from tests.locks.talk_writes import TALK

WRITES = TALK | CODE | SPACES | MOVED | ACCESS | PROJECTS

NOT_RUN: dict[str, str] = dict.fromkeys(
    (
        "create_message_vector_index",
        "create_scope_vector_index",
        "create_conversation_vector_index",
        "create_summary_vector_index",
        "create_memory_vector_index",
        "create_chunk_vector_index",
    ),
    "makes an index, and touches no node",
)
"""Statements with a word of writing that are run nowhere here, each with its reason."""

_WRITING = re.compile(r"\b(?:SET|MERGE|CREATE|DELETE|REMOVE)\b|\bdb\.create\.")
_TEXTS = re.compile(r"'[^'\n]*'|//[^\n]*")


def writing() -> set[str]:
    """The names of all statements that write, by their words."""
    return {
        name
        for name, variants in all_statements().items()
        if any(_WRITING.search(_TEXTS.sub("", variant.text)) for variant in variants)
    }
