"""Method names that everyday C++ objects have."""

from __future__ import annotations

_COMMON_MEMBERS = """
add append assign at back begin c_str capacity cbegin cend clear close compare compare_exchange_strong copy count
data emplace emplace_back empty end equal_range erase exchange extract fail fetch_add fill find find_first_of
find_last_of first flush front get get_allocator good has_value insert is_open join key length load lock lower_bound
max_size merge name notify_all notify_one open pop pop_back pop_front precision push push_back push_front put rbegin
read release remove rend replace reserve reset resize rfind second seekg set setf shrink_to_fit size sort splice
starts_with store str substr swap tellg test top try_lock type unlock upper_bound use_count value value_or wait what
width write
"""
COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON_MEMBERS.split())
"""From the C++ standard library's containers, strings, streams, smart pointers, locks and atomics: an unknown
receiver's method of such a name is not taken for the project's."""
