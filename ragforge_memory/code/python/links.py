"""How Python's names reach other files: imports, and the fixtures that pytest passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.layout import folder_of, folders_above, shared_folders
from ragforge_memory.code.links import Links, Place
from ragforge_memory.code.reads import MODULE, ROOTED

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.layout import Layout
    from ragforge_memory.code.parsed import Import, ParsedFile, ParsedScope


_COMMON = (
    "BOOLEAN_STATES DataError DatabaseError Error IntegrityError InterfaceError InternalError NONSPACECRE "
    "NotSupportedError OPEN_METH OPTCRE OPTCRE_NV OperationalError ProgrammingError SECTCRE VERSION Warning absolute "
    "accept acquire acquire_lock add addClassCleanup addCleanup addFilter addHandler addTypeEqualityFunc add_argument "
    "add_argument_group add_done_callback add_header add_mutually_exclusive_group add_note add_reader add_section "
    "add_signal_handler add_subparsers add_writer addfile adjusted anchor append appendleft apply_defaults args "
    "arguments arraysize as_bytes as_integer_ratio as_posix as_string as_tuple as_uri assertAlmostEqual "
    "assertAlmostEquals assertCountEqual assertDictContainsSubset assertDictEqual assertEqual assertEquals "
    "assertFalse assertGreater assertGreaterEqual assertIn assertIs assertIsInstance assertIsNone assertIsNot "
    "assertIsNotNone assertLess assertLessEqual assertListEqual assertLogs assertMultiLineEqual assertNoLogs "
    "assertNotAlmostEqual assertNotAlmostEquals assertNotEqual assertNotEquals assertNotIn assertNotIsInstance "
    "assertNotRegex assertNotRegexpMatches assertRaises assertRaisesRegex assertRaisesRegexp assertRegex "
    "assertRegexpMatches assertSequenceEqual assertSetEqual assertTrue assertTupleEqual assertWarns assertWarnsRegex "
    "assert_ assert_any_call assert_called assert_called_once assert_called_once_with assert_called_with "
    "assert_has_calls assert_not_called astimezone at_eof attach attach_mock attrib authkey backup begin betavariate "
    "bin bind bind_partial bit_count bit_length blobopen block_size braceidpattern buffer buffer_info bytes bytes_le "
    "byteswap bz2open c_contiguous callHandlers call_args call_args_list call_at call_count call_exception_handler "
    "call_later call_soon call_soon_threadsafe callback called can_write_eof cancel cancelled cancelling canonical "
    "capitalize casefold cast center cert_store_stats characters_written check_hostname check_unused_args chmod "
    "choice choices chown cleanup clear clear_memo clock_seq clock_seq_hi_variant clock_seq_low close closed closefd "
    "combine comment commit communicate compare compare_signal compare_total compare_total_mag compressed "
    "configure_mock conjugate connect connect_accepted_socket connect_ex connect_read_pipe connect_write_pipe "
    "connection contiguous convert_arg_line_to_args convert_field converter converters copy copy_abs copy_negate "
    "copy_sign count countTestCases cr_await cr_code cr_frame cr_origin cr_running cr_suspended createLock "
    "create_aggregate create_collation create_connection create_datagram_endpoint create_function create_future "
    "create_server create_task create_unix_connection create_unix_server create_window_function critical ctime cursor "
    "cwd daemon date day days debug decode defaultTestResult default_exception_handler default_factory "
    "default_msec_format default_time_format defaults del_param deleter delimiter denominator dereference description "
    "deserialize detach dialect difference difference_update digest digest_size discard dispatch_table "
    "doClassCleanups doCleanups done drain drive dst dump dup elements emit empty encode encoding end endpos endswith "
    "enterClassContext enterContext enter_context errno error errorlevel errors exception execute executemany "
    "executescript exists exit exitcode exp expand expandtabs expanduser exploded expovariate extend extendleft "
    "extract extractall extractfile extraction_filter f_contiguous fail failIf failIfAlmostEqual failIfEqual "
    "failUnless failUnlessAlmostEqual failUnlessEqual failUnlessRaises failureException family fast fatal fdel "
    "feed_data feed_eof fetchall fetchmany fetchone fget fieldnames fields filename filename2 fileno fileobject "
    "filter find findCaller findall finditer findtext flags flush fma fold format formatException formatMessage "
    "formatStack formatTime format_field format_help format_map format_usage fp fragment from_bytes from_callable "
    "from_decimal from_float frombytes fromfile fromhex fromisocalendar fromisoformat fromkeys fromlist fromordinal "
    "fromtimestamp fromunicode fromutc fset full fullmatch gammavariate gauss get getChild getEffectiveLevel getName "
    "get_all get_boundary get_ca_certs get_charset get_charsets get_ciphers get_content_charset "
    "get_content_disposition get_content_maintype get_content_subtype get_content_type get_coro get_debug get_default "
    "get_default_type get_exception_handler get_extra_info get_field get_filename get_identifiers get_inheritable "
    "get_key get_loop get_map get_name get_nowait get_param get_params get_payload get_stack get_task_factory "
    "get_unixfrom get_value getaddrinfo getblocking getboolean getbuffer getcode getfloat getheader getheaders "
    "getinfo getint getlimit getmember getmembers getnameinfo getnames getpeername getrandbits getroot getsockname "
    "getsockopt getstate gettarinfo getter gettimeout geturl getvalue gi_code gi_frame gi_running gi_suspended "
    "gi_yieldfrom glob group groupdict groupindex groups gzopen handle handleError hardlink_to hasHandlers has_option "
    "has_section hex hexdigest home hostname hostname_checks_common_name hour id ident idpattern ignore_zeros imag "
    "in_transaction index indices info infolist insert int interrupt intersection intersection_update isDaemon "
    "isEnabledFor isSet is_absolute is_alive is_block_device is_canonical is_char_device is_closed is_closing is_dir "
    "is_fifo is_file is_finite is_global is_infinite is_integer is_link_local is_loopback is_mount is_multicast "
    "is_multipart is_nan is_normal is_private is_qnan is_relative_to is_reserved is_running is_safe is_set is_signed "
    "is_snan is_socket is_subnormal is_symlink is_unspecified is_valid is_zero isalnum isalpha isascii isatty "
    "isclosed isdecimal isdigit isdisjoint isidentifier islower isnumeric isocalendar isoformat isolation_level "
    "isoweekday isprintable isspace issubset issuperset istitle isupper items itemsize iter iter_unpack iterdir "
    "iterdump iterfind itertext join joinpath keylog_filename keyrefs keys kill kwargs lastgroup lastindex lastrowid "
    "lchmod limit_denominator line_buffering link_to list listen ljust ln load_cert_chain load_default_certs "
    "load_dh_params load_verify_locations locked locked_lock log log10 logb logical_and logical_invert logical_or "
    "logical_xor lognormvariate longMessage lower lstat lstrip makeRecord makedev makedir makeelement makefifo "
    "makefile makelink maketrans makeunknown manager map match max maxDiff max_mag max_prefixlen maximum_version "
    "maxlen maxsize memo microsecond microseconds min min_mag minimum_version minute mkdir mock_add_spec mock_calls "
    "mode modify month most_common move_to_end name namelist native_id nbytes ndim netloc new_child newlines next "
    "next_minus next_plus next_toward node normalize normalvariate notify notifyAll notify_all now num_tickets "
    "number_class numerator obj open options optionxform owner pack pack_into packed parameters params parent parents "
    "paretovariate parse parse_args parse_intermixed_args parse_known_args parse_known_intermixed_args partition "
    "parts password path pattern peek persistent_id pid poll pop pop_all popitem popleft port pos post_handshake_auth "
    "print_help print_stack print_usage printdir proto protocol push put put_nowait qsize quantize query radix "
    "randbytes randint random randrange raw raw_items re read read1 read_bytes read_dict read_file read_string "
    "read_text readable readall readexactly readfp readinto readinto1 readline readlines readlink readonly readuntil "
    "real reconfigure recv recv_into recvfrom recvfrom_into recvmsg recvmsg_into register regs relative_to release "
    "release_lock remainder_near remove removeFilter removeHandler remove_done_callback remove_option remove_reader "
    "remove_section remove_signal_handler remove_writer removeprefix removesuffix rename replace replace_header reset "
    "reset_mock resolution resolve result return_annotation return_value reverse reverse_pointer rfind rglob rindex "
    "rjust rmdir rollback root rotate row_factory rowcount rpartition rsplit rstrip run run_forever run_in_executor "
    "run_until_complete running safe_substitute same_quantum samefile sample scaleb scanner scheme search second "
    "seconds sections security_level seed seek seekable select send send_signal sendall sendfile sendmsg "
    "sendmsg_afalg sendto sentinel serialize session_stats set setDaemon setFormatter setLevel setName setUp "
    "setUpClass set_alpn_protocols set_authorizer set_boundary set_charset set_ciphers set_debug set_default_executor "
    "set_default_type set_default_verify_paths set_defaults set_ecdh_curve set_exception set_exception_handler "
    "set_inheritable set_name set_npn_protocols set_param set_payload set_progress_handler set_raw set_result "
    "set_running_or_notify_cancel set_servername_callback set_task_factory set_trace_callback set_transport set_type "
    "set_unixfrom setblocking setdefault setinputsizes setlimit setoutputsize setpassword setsockopt setstate setter "
    "settimeout shape shift shortDescription shuffle shutdown shutdown_asyncgens shutdown_default_executor "
    "side_effect signature size skipTest sni_callback sock_accept sock_connect sock_recv sock_recv_into sock_recvfrom "
    "sock_recvfrom_into sock_sendall sock_sendfile sock_sendto sort span split splitlines sqrt sslobject_class "
    "sslsocket_class start start_tls startswith stat stem step stop strerror strftime strides string strip strptime "
    "sub subTest submit subn suboffsets subprocess_exec subprocess_shell substitute subtract suffix suffixes swapcase "
    "symlink_to symmetric_difference symmetric_difference_update sync tag tail tarinfo taropen task_done tearDown "
    "tearDownClass tell terminate testzip text text_factory throw time time_hi_version time_low time_mid timeout "
    "timestamp timetuple timetz title to_bytes to_eng_string to_integral to_integral_exact to_integral_value tobytes "
    "today tofile tolist toordinal toreadonly total total_changes total_seconds touch tounicode translate transport "
    "triangular truncate type typecode tzinfo tzname uncancel uniform union universal_newlines unlink unpack "
    "unpack_from unregister update upper urn username usesTime utc utcfromtimestamp utcnow utcoffset utctimetuple "
    "utime values variant verify_flags verify_mode version vformat vonmisesvariate wait wait_closed wait_for walk "
    "warn warning weekday weibullvariate with_name with_stem with_suffix with_traceback wrap_bio wrap_socket writable "
    "write write_bytes write_c14n write_eof write_text write_through writeheader writelines writerow writerows "
    "writestr xzopen year zfill"
)

COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON.split())


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """The module files (or namespace directories) that ``import`` means, nearest to the importing file first."""
    name = imported.module
    here = file.path[: file.path.rfind("/") + 1]
    dots = len(name) - len(name.lstrip("."))
    if dots:
        for _ in range(dots - 1):
            here = here[: here.rstrip("/").rfind("/") + 1]
        found = _module_at(index, here + name[dots:].replace(".", "/"))
        return [found] if found else []
    return index.remember(("python", here, name), lambda: _absolute(index, here, name))


def _absolute(index: ProjectIndex, here: str, name: str) -> Sequence[str]:
    """Any directory above a top-level package may be on the path; one next to the importing file is likelier."""
    tail = name.replace(".", "/")
    index.reads.note(ROOTED, name.partition(".")[0])
    found = []
    for root in _roots(index):
        module = _module_at(index, root + tail)
        if module and (root or module != "./"):
            found.append((not here.startswith(root), -shared_folders(root, here), len(root), module))
    return [module for *_, module in sorted(found)]


def _roots(index: ProjectIndex) -> list[str]:
    return index.remember(("python", "roots"), lambda: package_roots(index.layout), reads=())


def package_roots(layout: Layout) -> list[str]:
    """Directories with Python files or packages that are not packages themselves."""
    return sorted(d for d in {"", *layout.all_directories} if f"{d}__init__.py" not in layout.outlines)


def _module_at(index: ProjectIndex, base: str) -> str | None:
    base = base.rstrip("/")
    prefix = f"{base}/" if base else ""
    index.reads.note(MODULE, base.rpartition("/")[2])
    layout = index.layout
    for path in (f"{base}.py", f"{prefix}__init__.py", f"{base}.pyi", f"{prefix}__init__.pyi"):
        if path in layout.outlines:
            return path
    return prefix if prefix in layout.all_directories else None


def submodule(index: ProjectIndex, module: str, name: str) -> str | None:
    """``pkg/__init__.py`` and ``mod`` to ``pkg/mod.py``."""
    filename = module.rpartition("/")[2]
    if filename and not filename.startswith("__init__."):
        return None
    return _module_at(index, module[: module.rfind("/") + 1] + name)


def injected(index: ProjectIndex, path: str, scope: ParsedScope, name: str) -> Place | None:
    """The fixture that pytest passes for a parameter: of the class, the module, or a ``conftest.py`` above."""
    if not scope.name.startswith("test") and not _is_fixture(scope):
        return None
    file = index.files[path]
    parent = scope.parent
    while parent is not None:
        found = _fixture(file.children.get(parent, {}).get(name, ()), scope)
        if found is not None:
            return path, found.key
        parent = file.by_key[parent].parent
    for place in (path, *(f"{folder}conftest.py" for folder in folders_above(folder_of(path)))):
        if place in index.files:
            found = _fixture(index.files[place].top.get(name, ()), scope)
            if found is not None:
                return place, found.key
    return None


def _fixture(scopes: Sequence[ParsedScope], besides: ParsedScope) -> ParsedScope | None:
    return next((scope for scope in scopes if scope is not besides and _is_fixture(scope)), None)


def _is_fixture(scope: ParsedScope) -> bool:
    return any(name.rpartition(".")[2] == "fixture" for name in scope.decorators)


LINKS = Links(
    modules=modules,
    submodule=submodule,
    injected=injected,
    self_names=frozenset({"self"}),
    super_names=frozenset({"super()"}),
    imports_visible=True,
    by_path=True,
    common_members=COMMON_MEMBERS,
)
