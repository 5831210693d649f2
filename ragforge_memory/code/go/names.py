"""Go's predeclared names, and method names that its everyday types have."""

from __future__ import annotations

_BUILTINS = """
any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint
uint8 uint16 uint32 uint64 uintptr
"""
BUILTINS: frozenset[str] = frozenset(_BUILTINS.split())
"""Predeclared types (Go specification, section Predeclared identifiers)."""

_COMMON_MEMBERS = """
Add Bytes Close Context Copy Do Done Err Error Flush Get Len Less Lock Name New Next Print Printf Println Read
ReadAll ReadFrom Reset RLock RUnlock Scan Seek Set Size Sprintf Start Stop String Swap Sync Unlock Unwrap Value Wait
Write WriteString WriteTo
"""
COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON_MEMBERS.split())
"""Methods of the interfaces and types of the packages builtin, io, fmt, errors, sync, sort, context, time, bytes,
strings and bufio that code meets daily: an unknown receiver's method of such a name is not taken for the project's."""
