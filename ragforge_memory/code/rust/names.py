"""Method names that everyday Rust values have."""

from __future__ import annotations

_COMMON_MEMBERS = """
abs all and_then any append arg args as_bytes as_mut as_ptr as_ref as_slice as_str borrow build by_ref bytes chain
chars clear clone cloned cmp collect contains contains_key copied count default deref display drain drop end
ends_with entry enumerate eq err exists expect extend filter filter_map find first flat_map flush fmt fold for_each
from from_str get get_mut get_or_insert_with hash index insert into into_inner into_iter is_dir is_empty is_err
is_file is_none is_ok is_some iter iter_mut join keys kind last len lines lock map map_err max metadata min name ne
new next nth ok ok_or ok_or_else open or_else or_insert parent parse partial_cmp path peek poll pop position push
push_str read read_line read_to_string recv remove replace resize retain rev send set skip sort sort_by spawn split
split_at splice start starts_with step_by sum swap take then to_owned to_path_buf to_string to_vec trim truncate
try_from try_into unwrap unwrap_or unwrap_or_default unwrap_or_else value values with_capacity write write_all
write_fmt write_str zip
"""
COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON_MEMBERS.split())
"""From core, alloc and std (Option, Result, Iterator, Vec, str, String, HashMap, Path, io): an unknown receiver's
method of such a name is not taken for the project's."""
