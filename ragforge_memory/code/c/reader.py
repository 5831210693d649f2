"""C: its scopes, what they use, and how files reach one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.c.family import HANDLERS, refusal
from ragforge_memory.code.c.links import linked, modules, neighbours
from ragforge_memory.code.c.prepare import LEADING, blanked, blanked_branches, blanked_cuts
from ragforge_memory.code.c.types import in_order
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.written import macro_body

if TYPE_CHECKING:
    from tree_sitter import Node


def _grammar(path: str) -> object:
    import tree_sitter_c

    return tree_sitter_c.language()


def extract(root: Node, draft: Draft) -> None:
    """Fill the draft from a file's tree."""
    draft.walk(root, HANDLERS)
    in_order(draft)


READER = Reader(
    grammar=_grammar,
    extract=extract,
    links=Links(modules=modules, neighbours=neighbours, linked=linked, guesses=False, global_names=True),
    atoms=frozenset({"string_literal", "char_literal", "preproc_arg"}),
    forms={"preproc_arg": macro_body},
    refusal=refusal,
    prepare=blanked,
    leading=LEADING,
    simplify=(blanked_cuts, blanked_branches),
)
