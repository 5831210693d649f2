"""How Ruby files reach one another: constants and top-level methods are global, classes are reopened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.parsed import TYPE_TYPES

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import Import, ParsedFile, ParsedScope


_COMMON_MEMBERS = """
abs add all? any? append arity bytes call capitalize chars chomp chop class clear clone close collect compact concat
count delete delete_if detect dig downcase dup each each_pair each_with_index each_with_object empty? end end_with?
entries eql? equal? exist? extend fetch fill filter filter_map find find_all first flat_map flatten flush freeze
frozen? get gsub gsub! has_key? hash id include? index inject insert inspect instance_of? is_a? join key? keys
kind_of? last length lines log map match match? max member? merge merge! message method methods min name new next
nil? none? object_id open pop position push put puts raise read reduce reject render replace respond_to? reverse
rewind run scan select send set shift size slice sort sort_by split squeeze start start_with? step stop store strip
sub sub! sum swap take tap then times title to_a to_h to_i to_proc to_s to_str to_sym tr type uniq unshift upcase
update upto value values write zero? zip
"""
COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON_MEMBERS.split())
"""From Object, String, Symbol, Array, Hash, Enumerable, IO, File, Time and Proc: an unknown receiver's method of such a
name is not taken for the project's."""

_KERNEL = """
Array Complex Float Hash Integer Rational String abort alias_method at_exit attr attr_accessor attr_reader attr_writer
autoload autoload? binding block_given? caller caller_locations catch class define_method eval exit exit! extend fail
fork format freeze gem gets global_variables include instance_variable_get instance_variable_set lambda load
local_variables loop method_missing module_function open p pp prepend print printf private private_class_method
private_constant proc protected public public_class_method public_constant putc puts raise rand readline readlines
refine remove_method require require_relative select send set_trace_func sleep spawn sprintf srand syscall system test
throw trap undef_method using warn
"""
BARE_WORDS: frozenset[str] = frozenset(_KERNEL.split())
"""Kernel's and Module's methods that are called without a receiver: never taken for the project's where nothing binds
them."""


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """Constants are global: what is required does not matter."""
    return ()


def linked(index: ProjectIndex, file: ParsedFile, name: str) -> Place | None:
    """A constant or a method that some file defines at its top level."""
    return index.remember(("ruby", "top", name), lambda: _at_top(index, name))


def _at_top(index: ProjectIndex, name: str) -> Place | None:
    places = [
        (path, scope) for path, scope in index.defined("ruby", name) if scope.parent is None and scope.owner is None
    ]
    if name[:1].isupper():
        kinds = sorted(
            places, key=lambda place: (place[1].type not in TYPE_TYPES, place[0].startswith(("test/", "spec/")))
        )
        return (kinds[0][0], kinds[0][1].key) if kinds else None
    return (places[0][0], places[0][1].key) if len(places) == 1 else None


def parts(index: ProjectIndex, path: str, scope: ParsedScope) -> Sequence[Place]:
    """Where else a class or module is opened."""
    return [
        (other, found.key)
        for other, found in index.defined("ruby", scope.name)
        if found.type in TYPE_TYPES
        and found.qualified_name == scope.qualified_name
        and (other, found.key) != (path, scope.key)
    ]
