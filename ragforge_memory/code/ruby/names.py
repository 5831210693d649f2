"""Method names that everyday Ruby objects have."""

from __future__ import annotations

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
