"""C: its scopes, what they use, and how files reach one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.c.family import HANDLERS, refusal
from ragforge_memory.code.c.links import linked, modules, neighbours
from ragforge_memory.code.c.prepare import LEADING, blanked, blanked_branches, blanked_cuts
from ragforge_memory.code.c.types import in_order
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.written import macro_body

if TYPE_CHECKING:
    pass


READER = Reader(
    grammar="tree_sitter_c",
    handlers=HANDLERS,
    finish=in_order,
    links=Links(modules=modules, neighbours=neighbours, linked=linked, guesses=False, global_names=True),
    atoms=frozenset({"string_literal", "char_literal", "preproc_arg"}),
    forms={"preproc_arg": macro_body},
    refusal=refusal,
    prepare=blanked,
    leading=LEADING,
    simplify=(blanked_cuts, blanked_branches),
)
