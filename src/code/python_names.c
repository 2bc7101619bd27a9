/*
 * Attributes of objects whose type is not known. A name stands among the harmless ones when it belongs to a type of the library's modules
 * that python_table.c calls pure, and no type has an effect under that name; names with effects are listed as well, because code that imports
 * other people's modules may call anything but them.
 */
#include <stdlib.h>

#include "code/python.h"

#define NAME_ROOM 52 /* names stand in place: a table of pointers would have to be relocated at each start */

static const char harmless[][NAME_ROOM] = {
	"ACCEPTED", "ACTIONS", "AF_ALG", "AF_APPLETALK", "AF_ASH", "AF_ATMPVC", "AF_ATMSVC", "AF_AX25", "AF_BLUETOOTH", "AF_BRIDGE", "AF_CAN",
	"AF_ECONET", "AF_INET", "AF_INET6", "AF_IPX", "AF_IRDA", "AF_KEY", "AF_LLC", "AF_NETBEUI", "AF_NETLINK", "AF_NETROM", "AF_PACKET", "AF_PPPOX",
	"AF_QIPCRTR", "AF_RDS", "AF_ROSE", "AF_SECURITY", "AF_SNA", "AF_TIPC", "AF_UNIX", "AF_UNSPEC", "AF_VSOCK", "AF_WANPIPE", "AF_X25",
	"AI_ADDRCONFIG", "AI_ALL", "AI_CANONNAME", "AI_NUMERICHOST", "AI_NUMERICSERV", "AI_PASSIVE", "AI_V4MAPPED", "ALERT_DESCRIPTION_ACCESS_DENIED",
	"ALERT_DESCRIPTION_BAD_CERTIFICATE", "ALERT_DESCRIPTION_BAD_CERTIFICATE_HASH_VALUE", "ALERT_DESCRIPTION_BAD_CERTIFICATE_STATUS_RESPONSE",
	"ALERT_DESCRIPTION_BAD_RECORD_MAC", "ALERT_DESCRIPTION_CERTIFICATE_EXPIRED", "ALERT_DESCRIPTION_CERTIFICATE_REVOKED",
	"ALERT_DESCRIPTION_CERTIFICATE_UNKNOWN", "ALERT_DESCRIPTION_CERTIFICATE_UNOBTAINABLE", "ALERT_DESCRIPTION_CLOSE_NOTIFY",
	"ALERT_DESCRIPTION_DECODE_ERROR", "ALERT_DESCRIPTION_DECOMPRESSION_FAILURE", "ALERT_DESCRIPTION_DECRYPT_ERROR",
	"ALERT_DESCRIPTION_HANDSHAKE_FAILURE", "ALERT_DESCRIPTION_ILLEGAL_PARAMETER", "ALERT_DESCRIPTION_INSUFFICIENT_SECURITY",
	"ALERT_DESCRIPTION_INTERNAL_ERROR", "ALERT_DESCRIPTION_NO_RENEGOTIATION", "ALERT_DESCRIPTION_PROTOCOL_VERSION",
	"ALERT_DESCRIPTION_RECORD_OVERFLOW", "ALERT_DESCRIPTION_UNEXPECTED_MESSAGE", "ALERT_DESCRIPTION_UNKNOWN_CA",
	"ALERT_DESCRIPTION_UNKNOWN_PSK_IDENTITY", "ALERT_DESCRIPTION_UNRECOGNIZED_NAME", "ALERT_DESCRIPTION_UNSUPPORTED_CERTIFICATE",
	"ALERT_DESCRIPTION_UNSUPPORTED_EXTENSION", "ALERT_DESCRIPTION_USER_CANCELLED", "ALREADY_REPORTED", "ALWAYS_TYPED_ACTIONS", "ASCII",
	"ATTRIBUTE_NODE", "ATTRS", "Array", "BAD_GATEWAY", "BAD_REQUEST", "BE_MAGIC", "BOOLEAN_STATES", "Barrier", "BinaryIO", "BoundedSemaphore",
	"CDATA_CONTENT_ELEMENTS", "CDATA_SECTION_NODE", "CERT_NONE", "CERT_OPTIONAL", "CERT_REQUIRED", "CHECK_METHODS", "CLIENT_AUTH", "COMMENT_NODE",
	"CONFLICT", "CONFORM", "CONNECT", "CONST_ACTIONS", "CONTEXT", "CONTINUE", "CONTINUOUS", "CRC", "CREATED", "Condition", "Context", "DEBUG",
	"DELETE", "DOCUMENT_FRAGMENT_NODE", "DOCUMENT_NODE", "DOCUMENT_TYPE_NODE", "DOTALL", "DataError", "DatabaseError", "DomainLiberal",
	"DomainRFC2965Match", "DomainStrict", "DomainStrictNoDots", "DomainStrictNonDomain", "EARLY_HINTS", "EJECT", "ELEMENT_NODE", "ENTITY_NODE",
	"ENTITY_REFERENCE_NODE", "EXPECTATION_FAILED", "Emax", "Emin", "Error", "Etiny", "Etop", "Event", "FAILED_DEPENDENCY", "FMT_BINARY",
	"FMT_XML", "FORBIDDEN", "FOUND", "FileHeader", "GATEWAY_TIMEOUT", "GET", "GETTERCRE", "GONE", "HEAD", "HTTP_VERSION_NOT_SUPPORTED",
	"IGNORECASE", "IM_A_TEAPOT", "IM_USED", "INITIAL", "INSUFFICIENT_STORAGE", "INTERNAL_SERVER_ERROR", "IO", "IntegrityError", "InterfaceError",
	"InternalError", "JoinableQueue", "KEEP", "KEYWORD_ONLY", "LENGTH_REQUIRED", "LE_MAGIC", "LOCALE", "LOCKED", "LOOP_DETECTED", "Lock",
	"MAXIMUM_SUPPORTED", "MAX_DIGEST_SIZE", "MAX_KEY_SIZE", "MAX_N", "MAX_SEEK_READ", "METHOD_NOT_ALLOWED", "MINIMUM_SUPPORTED", "MIN_READ_SIZE",
	"MISDIRECTED_REQUEST", "MISSING", "MODE_ASYNCHRONOUS", "MODE_SYNCHRONOUS", "MOVED_PERMANENTLY", "MSG_CMSG_CLOEXEC", "MSG_CONFIRM",
	"MSG_CTRUNC", "MSG_DONTROUTE", "MSG_DONTWAIT", "MSG_EOR", "MSG_ERRQUEUE", "MSG_FASTOPEN", "MSG_MORE", "MSG_NOSIGNAL", "MSG_OOB", "MSG_PEEK",
	"MSG_TRUNC", "MSG_WAITALL", "MULTILINE", "MULTIPLE_CHOICES", "MULTI_STATUS", "Match", "NAMED_FLAGS", "NETWORK_AUTHENTICATION_REQUIRED",
	"NODE_CLONED", "NODE_DELETED", "NODE_IMPORTED", "NODE_RENAMED", "NONSPACECRE", "NON_AUTHORITATIVE_INFORMATION", "NOTATION_NODE",
	"NOT_ACCEPTABLE", "NOT_EXTENDED", "NOT_FOUND", "NOT_IMPLEMENTED", "NOT_MODIFIED", "NO_CONTENT", "NO_DEFAULT_VALUE", "Namespace",
	"NotSupportedError", "OK", "OPEN_METH", "OPTCRE", "OPTCRE_NV", "OPTIONS", "OP_CIPHER_SERVER_PREFERENCE", "OP_ENABLE_MIDDLEBOX_COMPAT",
	"OP_IGNORE_UNEXPECTED_EOF", "OP_NO_COMPRESSION", "OP_NO_RENEGOTIATION", "OP_NO_SSLv3", "OP_NO_TICKET", "OP_NO_TLSv1", "OP_NO_TLSv1_1",
	"OP_NO_TLSv1_2", "OP_NO_TLSv1_3", "OperationalError", "OutputString", "PARTIAL_CONTENT", "PATCH", "PAYMENT_REQUIRED", "PERMANENT_REDIRECT",
	"PERSON_SIZE", "POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "POST", "PRECONDITION_FAILED", "PRECONDITION_REQUIRED", "PROCESSING",
	"PROCESSING_INSTRUCTION_NODE", "PROXY_AUTHENTICATION_REQUIRED", "PUT", "Pattern", "Pool", "Process", "ProgrammingError", "Queue",
	"REQUESTED_RANGE_NOT_SATISFIABLE", "REQUEST_ENTITY_TOO_LARGE", "REQUEST_HEADER_FIELDS_TOO_LARGE", "REQUEST_TIMEOUT", "REQUEST_URI_TOO_LONG",
	"RESET_CONTENT", "RLock", "S", "SALT_SIZE", "SECTCRE", "SEE_OTHER", "SERVER_AUTH", "SERVICE_UNAVAILABLE", "SHUTDOWN", "SIGABRT", "SIGALRM",
	"SIGBUS", "SIGCHLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT", "SIGIO", "SIGKILL", "SIGPIPE", "SIGPROF", "SIGPWR", "SIGQUIT",
	"SIGRTMAX", "SIGRTMIN", "SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG",
	"SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ", "SIG_BLOCK", "SIG_DFL", "SIG_IGN", "SIG_SETMASK", "SIG_UNBLOCK",
	"SOCK_CLOEXEC", "SOCK_DGRAM", "SOCK_NONBLOCK", "SOCK_RAW", "SOCK_RDM", "SOCK_SEQPACKET", "SOCK_STREAM", "SSL_ERROR_EOF",
	"SSL_ERROR_INVALID_ERROR_CODE", "SSL_ERROR_SSL", "SSL_ERROR_SYSCALL", "SSL_ERROR_WANT_CONNECT", "SSL_ERROR_WANT_READ", "SSL_ERROR_WANT_WRITE",
	"SSL_ERROR_WANT_X509_LOOKUP", "SSL_ERROR_ZERO_RETURN", "SSLv3", "STARTED", "STORE_ACTIONS", "STRICT", "SWITCHING_PROTOCOLS", "Semaphore",
	"ShareableList", "SharedMemory", "T", "TEMPLATE", "TEMPORARY_REDIRECT", "TEXT_NODE", "TLSv1", "TLSv1_1", "TLSv1_2", "TLSv1_3", "TOO_EARLY",
	"TOO_MANY_REQUESTS", "TRACE", "TYPED_ACTIONS", "TYPES", "TYPE_CHECKER", "TextIO", "UNAUTHORIZED", "UNAVAILABLE_FOR_LEGAL_REASONS", "UNICODE",
	"UNIQUE", "UNPROCESSABLE_ENTITY", "UNSUPPORTED_MEDIA_TYPE", "UPGRADE_REQUIRED", "USE_PROXY", "VARIANT_ALSO_NEGOTIATES", "VAR_KEYWORD",
	"VAR_POSITIONAL", "VERBOSE", "VERIFY_ALLOW_PROXY_CERTS", "VERIFY_CRL_CHECK_LEAF", "VERIFY_X509_PARTIAL_CHAIN", "VERIFY_X509_STRICT",
	"VERIFY_X509_TRUSTED_FIRST", "VERSION", "VERSIONS", "Value", "Warning", "_asdict", "_field_defaults", "_fields", "_make", "_replace", "a",
	"abort", "abs", "absolute", "accept", "accept_connection", "accepter", "aclose", "acquire", "action", "actualEncoding", "add",
	"addClassCleanup", "addCleanup", "addError", "addExpectedFailure", "addFailure", "addFilter", "addHandler", "addSkip", "addSubTest",
	"addSuccess", "addTest", "addTests", "addTypeEqualityFunc", "addUnexpectedSuccess", "add_alternative", "add_argument", "add_argument_group",
	"add_arguments", "add_attachment", "add_child_handler", "add_cookie_header", "add_done_callback", "add_fallback", "add_header",
	"add_mutually_exclusive_group", "add_note", "add_option", "add_option_group", "add_options", "add_parser", "add_reader", "add_related",
	"add_section", "add_signal_handler", "add_subparsers", "add_text", "add_type", "add_usage", "add_whitespace", "add_writer", "addfile",
	"address", "address_exclude", "adjusted", "ag_await", "ag_code", "ag_running", "alive", "allowed_domains", "anchor", "annotation",
	"annotations", "append", "appendChild", "appendData", "appendleft", "apply", "apply_async", "apply_defaults", "arg", "argrepr", "args",
	"argument", "arguments", "argval", "arraysize", "as_bytes", "as_integer_ratio", "as_lwp_str", "as_posix", "as_string", "as_tuple", "as_uri",
	"asctime_format", "asctime_search", "asend", "asname", "assertAlmostEqual", "assertAlmostEquals", "assertCountEqual",
	"assertDictContainsSubset", "assertDictEqual", "assertEqual", "assertEquals", "assertFalse", "assertGreater", "assertGreaterEqual",
	"assertIn", "assertIs", "assertIsInstance", "assertIsNone", "assertIsNot", "assertIsNotNone", "assertLess", "assertLessEqual",
	"assertListEqual", "assertLogs", "assertMultiLineEqual", "assertNoLogs", "assertNotAlmostEqual", "assertNotAlmostEquals", "assertNotEqual",
	"assertNotEquals", "assertNotIn", "assertNotIsInstance", "assertNotRegex", "assertNotRegexpMatches", "assertRaises", "assertRaisesRegex",
	"assertRaisesRegexp", "assertRegex", "assertRegexpMatches", "assertSequenceEqual", "assertSetEqual", "assertTrue", "assertTupleEqual",
	"assertWarns", "assertWarnsRegex", "assert_", "assert_any_await", "assert_any_call", "assert_awaited", "assert_awaited_once",
	"assert_awaited_once_with", "assert_awaited_with", "assert_called", "assert_called_once", "assert_called_once_with", "assert_called_with",
	"assert_has_awaits", "assert_has_calls", "assert_not_awaited", "assert_not_called", "astimezone", "async_", "at", "at_eof", "atexit",
	"athrow", "attach", "attach_loop", "attach_mock", "attr", "attrib", "attributes", "authkey", "autorange", "await_args", "await_args_list",
	"await_count", "b", "before_get", "before_read", "before_set", "before_write", "betavariate", "bidirectional", "bind", "bind_partial",
	"bit_count", "bit_length", "blobopen", "block_size", "blocked_domains", "blocksize", "body_encode", "braceidpattern", "broadcast_address",
	"broken", "buf", "buffer", "buffer_info", "buffer_updated", "builtins", "bytes", "bytes_le", "byteswap", "c_contiguous",
	"cache_clear", "cache_info", "cache_parameters", "cafile", "callHandlers", "call_args", "call_args_list", "call_at", "call_count",
	"call_exception_handler", "call_later", "call_soon", "call_soon_threadsafe", "callback", "called", "can_write_eof", "cancel", "cancelled",
	"cancelling", "canonical", "capath", "capitalize", "capitals", "casefold", "cast", "catchbreak", "category", "cause", "cdf", "cell_contents",
	"center", "cert_store_stats", "characters", "characters_written", "charbuffertype", "charset", "check", "check_for_whole_start_tag",
	"check_hostname", "check_returncode", "check_unused_args", "check_value", "check_values", "childNodes", "children", "chksum", "choice",
	"choices", "cipher", "clamp", "cleanup", "clear", "clear_cache", "clear_cdata_mode", "clear_content", "clear_expired_cookies", "clear_flags",
	"clear_session_cookies", "clear_traps", "clock_seq", "clock_seq_hi_variant", "clock_seq_low", "clone", "cloneNode", "close", "closed",
	"closefd", "cmdloop", "co_argcount", "co_cellvars", "co_consts", "co_exceptiontable", "co_filename", "co_firstlineno", "co_flags",
	"co_freevars", "co_kwonlyargcount", "co_lines", "co_linetable", "co_lnotab", "co_name", "co_names", "co_nlocals", "co_positions",
	"co_posonlyargcount", "co_qualname", "co_stacksize", "co_varnames", "code", "code_context", "coded_value", "col", "col_offset", "colno",
	"cols", "columnize", "combine", "combining", "comment", "commit", "communicate", "compare", "compare_networks", "compare_signal",
	"compare_to", "compare_total", "compare_total_mag", "compat", "complete", "complete_help", "completedefault", "completenames", "compress",
	"compress_size", "compress_type", "compressed", "compression", "config", "configure_mock", "conjugate", "connect_accepted_socket",
	"connect_read_pipe", "connect_write_pipe", "connection", "connection_lost", "connection_made", "content", "content_manager", "contents",
	"context", "contiguous", "convert_arg_line_to_args", "convert_field", "convert_value", "converter", "converters", "copy_abs", "copy_decimal",
	"copy_negate", "copy_sign", "count", "countTestCases", "count_diff", "cr_await", "cr_code", "cr_origin", "cr_running", "cr_suspended",
	"create", "createAttribute", "createAttributeNS", "createCDATASection", "createComment", "createDOMBuilder", "createDOMInputSource",
	"createDOMWriter", "createDocument", "createDocumentFragment", "createDocumentType", "createElement", "createElementNS", "createLock",
	"createProcessingInstruction", "createTests", "createTextNode", "create_aggregate", "create_collation", "create_decimal",
	"create_decimal_from_float", "create_function", "create_future", "create_gnu_header", "create_mock", "create_pax_global_header",
	"create_pax_header", "create_system", "create_task", "create_ustar_header", "create_version", "create_window_function", "critical",
	"cssclass_month", "cssclass_month_head", "cssclass_noday", "cssclass_year", "cssclass_year_head", "cssclasses", "cssclasses_weekday_head",
	"cte_type", "ctime", "cursor", "daemon", "data", "data_encoding", "data_received", "datagram_received", "date", "date_time", "datetime",
	"day", "days", "debug", "debug_info", "decimal", "decode", "decomposition", "decompress", "decref", "dedent", "default", "defaultTestResult",
	"default_exception_handler", "default_factory", "default_format", "default_msec_format", "default_time_format", "defaults", "defining_class",
	"del_param", "deleteData", "deleter", "delimiter", "denominator", "dereference", "derive", "description", "deserialize", "destroy", "detach",
	"devmajor", "devminor", "dict", "difference", "difference_update", "digest", "digest_size", "digit", "digits", "dims", "dis", "disable",
	"disable_interspersed_args", "discard", "dist", "divide", "divide_int", "divmod", "doClassCleanups", "doCleanups", "do_handshake", "do_help",
	"doc_header", "doc_leader", "doctype", "documentElement", "documentURI", "domain", "domain_re", "domain_return_ok", "done", "dots_re",
	"doublequote", "drain", "drive", "dst", "dummy", "dup", "east_asian_width", "elements", "emit", "empty", "emptyline",
	"enable_interspersed_args", "encode", "encoder", "encoding", "end", "endDocument", "endElement", "endElementNS", "endPrefixMapping",
	"end_col_offset", "end_colno", "end_lineno", "end_offset", "end_section", "endpos", "endswith", "ensure_value", "enter", "enterClassContext",
	"enterContext", "enter_async_context", "enter_context", "enterabs", "entity", "entry_points", "eof", "eof_received", "equal", "errno",
	"error", "errorHandler", "error_leader", "error_received", "errorlevel", "errors", "escapechar", "events", "exact_type", "exc",
	"exc_traceback", "exc_type", "exc_value", "exception", "exceptions", "exists", "exit", "exitcode", "exp", "expand", "expand_default",
	"expand_prog_name", "expandtabs", "expanduser", "expired", "exploded", "exponent", "expovariate", "extend", "extendleft", "external_attr",
	"extra", "extract_cookies", "extract_version", "extras", "f_contiguous", "f_lasti", "f_lineno", "f_trace", "f_trace_lines", "f_trace_opcodes",
	"fail", "failIf", "failIfAlmostEqual", "failIfEqual", "failUnless", "failUnlessAlmostEqual", "failUnlessEqual", "failUnlessRaises",
	"failfast", "failureException", "fallback_getvalue", "fallback_mapping", "fallback_repr", "fallback_str", "family", "fatal", "fatalError",
	"fd", "fdel", "feed", "feed_data", "feed_eof", "fetchall", "fetchmany", "fetchone", "fget", "field_spec", "fieldnames", "fields",
	"file_encoding", "file_size", "filename", "filename2", "filename_pattern", "fileno", "fileobj", "fileobject", "files", "fill", "filter",
	"filter_traces", "find", "findCaller", "find_distributions", "find_longest_match", "find_module", "findall", "finditer", "findtext",
	"firstChild", "firstweekday", "flag_bits", "flags", "flush", "fma", "fmt_spec", "fold", "fold_binary", "format", "formatException",
	"formatFooter", "formatHeader", "formatMessage", "formatStack", "formatTime", "format_description", "format_epilog", "format_exception_only",
	"format_field", "format_frame_summary", "format_heading", "format_help", "format_map", "format_option", "format_option_help",
	"format_option_strings", "format_spec", "format_usage", "formatday", "formatmonth", "formatmonthname", "formatweek", "formatweekday",
	"formatweekheader", "formatyear", "formatyearpage", "fp", "fragment", "frame", "free", "freeze", "from_bytes", "from_callable",
	"from_decimal", "from_exception", "from_file", "from_float", "from_iterable", "from_list", "from_name", "from_samples", "from_traceback",
	"frombuf", "frombytes", "fromfd", "fromfile", "fromhex", "fromisocalendar", "fromisoformat", "fromkeys", "fromlist", "fromname", "fromnid",
	"fromordinal", "fromtarfile", "fromtimestamp", "fromunicode", "fromutc", "fset", "full", "fullmatch", "func", "funcname", "function",
	"gammavariate", "gauss", "generic_visit", "get", "getAttribute", "getAttributeNS", "getAttributeNode", "getAttributeNodeNS",
	"getAttributeType", "getAttributeTypeNS", "getByteStream", "getCharacterStream", "getChild", "getColumnNumber", "getContentHandler",
	"getDTDHandler", "getDescription", "getEffectiveLevel", "getElementById", "getElementsByTagName", "getElementsByTagNameNS", "getEncoding",
	"getEntityResolver", "getErrorHandler", "getException", "getFeature", "getInterface", "getLineNumber", "getLogger", "getMessage", "getName",
	"getNamedItem", "getNamedItemNS", "getParent", "getProperty", "getPublicId", "getSystemId", "getTestCaseNames", "getUserData", "get_all",
	"get_body", "get_body_encoding", "get_boundary", "get_buffer", "get_ca_certs", "get_channel_binding", "get_charset", "get_charsets",
	"get_child_watcher", "get_children", "get_ciphers", "get_content", "get_content_charset", "get_content_disposition", "get_content_maintype",
	"get_content_subtype", "get_content_type", "get_coro", "get_debug", "get_default", "get_default_type", "get_default_values",
	"get_description", "get_event_loop", "get_exception_handler", "get_extra_info", "get_filename", "get_frees", "get_globals",
	"get_grouped_opcodes", "get_id", "get_identifiers", "get_info", "get_inheritable", "get_key", "get_line", "get_lineno", "get_locals",
	"get_loop", "get_map", "get_matching_blocks", "get_methods", "get_msg", "get_name", "get_names", "get_namespace", "get_namespaces",
	"get_nonlocals", "get_nonstandard_attr", "get_nowait", "get_opcodes", "get_opt_string", "get_option", "get_option_group",
	"get_output_charset", "get_param", "get_parameters", "get_params", "get_payload", "get_pid", "get_pipe_transport", "get_prog_name",
	"get_protocol", "get_ready", "get_returncode", "get_server", "get_stack", "get_starttag_text", "get_symbols", "get_task_factory", "get_token",
	"get_type", "get_unixfrom", "get_usage", "get_value", "get_version", "get_write_buffer_limits", "get_write_buffer_size", "getblocking",
	"getboolean", "getbuffer", "getcode", "getcompname", "getcomptype", "getfirstweekday", "getfloat", "getfp", "getframerate", "getinfo",
	"getint", "getlimit", "getmark", "getmarkers", "getmember", "getmembers", "getnames", "getnchannels", "getnframes", "getparams",
	"getpeercert", "getpeername", "getpos", "getrandbits", "getroot", "getsampwidth", "getsockname", "getsockopt", "getstate", "gettarinfo",
	"getter", "gettext", "gettimeout", "geturl", "getvalue", "gi_code", "gi_running", "gi_suspended", "gi_yieldfrom", "gid", "glob", "globals",
	"gname", "goahead", "gr_gid", "gr_mem", "gr_name", "gr_passwd", "group", "groupdict", "groupindex", "groups", "guard", "guess_all_extensions",
	"guess_extension", "guess_type", "handle", "handleError", "handle_charref", "handle_comment", "handle_data", "handle_decl",
	"handle_defect", "handle_endtag", "handle_entityref", "handle_pi", "handle_startendtag", "handle_starttag", "hasAttribute", "hasAttributeNS",
	"hasAttributes", "hasChildNodes", "hasFeature", "hasHandlers", "has_children", "has_header", "has_nonstandard_attr", "has_option",
	"has_section", "has_ticket", "hash", "head", "header_encode", "header_encode_lines", "header_factory", "header_fetch_parse",
	"header_max_count", "header_offset", "header_source_parse", "header_store_parse", "headers", "height", "hex", "hexdigest", "home", "hostmask",
	"hostname", "hostname_checks_common_name", "hosts", "hour", "id", "ident", "identchars", "idpattern", "ignorableWhitespace", "ignore_zeros",
	"imag", "imap", "imap_unordered", "implementation", "importNode", "in_transaction", "incref", "indent", "indent_level", "index", "indices",
	"info", "infolist", "init", "initfp", "input", "insert", "insertBefore", "insertData", "install", "int", "intercept", "internalSubset",
	"internal_attr", "interrupt", "intersection", "intersection_update", "intro", "inv_cdf", "invalidate_caches", "ip", "ipv4_mapped", "isDaemon",
	"isElementContent", "isEmpty", "isEnabledFor", "isId", "isIdNS", "isReservedKey", "isSameNode", "isSet", "isSupported",
	"isWhitespaceInElementContent", "is_absolute", "is_active", "is_alive", "is_annotated", "is_assigned", "is_attachment", "is_block_device",
	"is_blocked", "is_canonical", "is_char_device", "is_closed", "is_closing", "is_declared_global", "is_dir", "is_expired", "is_fifo", "is_file",
	"is_finite", "is_free", "is_global", "is_imported", "is_infinite", "is_integer", "is_jump_target", "is_link_local", "is_local", "is_loopback",
	"is_mount", "is_multicast", "is_multipart", "is_namespace", "is_nan", "is_nested", "is_nonlocal", "is_normal", "is_normalized",
	"is_not_allowed", "is_optimized", "is_parameter", "is_private", "is_qnan", "is_reading", "is_referenced", "is_relative_to", "is_reserved",
	"is_resource", "is_running", "is_safe", "is_serving", "is_set", "is_signed", "is_site_local", "is_snan", "is_socket", "is_subnormal",
	"is_symlink", "is_unspecified", "is_valid", "is_zero", "isalnum", "isalpha", "isascii", "isatty", "isblk", "ischr", "isdecimal", "isdev",
	"isdigit", "isdir", "isdisjoint", "isfifo", "isfile", "isidentifier", "islnk", "islower", "isnumeric", "isocalendar", "isoformat",
	"isolation_level", "isoweekday", "isprintable", "isreadable", "isrecursive", "isreg", "isspace", "issparse", "issubset", "issuperset",
	"issym", "istitle", "isupper", "item", "item_separator", "items", "itemsNS", "items_", "itemsize", "iter", "iter_attachments", "iter_parts",
	"iter_unpack", "iterdir", "iterdump", "iterencode", "iterfind", "itermonthdates", "itermonthdays", "itermonthdays2", "itermonthdays3",
	"itermonthdays4", "itertext", "itervaluerefs", "iterweekdays", "join", "joinpath", "js_output", "json", "key", "key_separator",
	"keylog_filename", "keyrefs", "keys", "keysNS", "keywords", "kind", "kw_only", "kwarg", "kwargs", "kwonlyargs", "kwonlydefaults", "lastChild",
	"lastcmd", "lastgroup", "lastindex", "lastrowid", "left", "legacy_normalize", "legacy_normalized", "length", "less", "level",
	"limit_denominator", "line", "line_buffering", "lineno", "linesep", "lineterminator", "linkname", "linkpath", "list", "list_segments",
	"listen", "ljust", "ln", "loadTestsFromModule", "loadTestsFromTestCase", "loadXML", "load_default_certs", "localName", "locals", "locate",
	"locate_file", "locked", "log", "log10", "logb", "logical_and", "logical_invert", "logical_or", "logical_xor", "lognormvariate",
	"longMessage", "longest_run_of_spaces", "longname", "lookup", "lower", "lstat", "lstrip", "machine", "magic_re", "major", "make",
	"makeRecord", "make_alternative", "make_cookies", "make_file", "make_mixed", "make_related", "make_table",
	"makeelement", "maketrans", "manager", "mangle_from_", "map", "map_async", "map_to_type",
	"markers", "match", "matches", "max", "maxDiff", "max_line_length", "max_mag", "max_prefixlen", "maximum_version", "maxlen", "maxsize",
	"mean", "median", "message", "message_factory", "metadata", "methodmap", "micro", "microsecond", "microseconds", "min", "min_mag",
	"minimum_version", "minor", "minus", "minute", "mirrored", "misc_header", "mock_add_spec", "mock_calls", "mode", "modify", "module", "month",
	"monthdatescalendar", "monthdays2calendar", "monthdayscalendar", "most_common", "move_to_end", "mro", "msg", "mtime", "multiply", "myfileobj",
	"n", "n_fields", "n_sequence_fields", "n_unnamed_fields", "n_waiting", "name", "namelist", "names", "namespace", "namespaceURI", "native_id",
	"nbytes", "ndim", "needs_input", "netloc", "new", "new_child", "new_event_loop", "newlines", "next", "nextSibling", "next_minus", "next_plus",
	"next_toward", "ngettext", "nid", "no_cache", "node", "nodeName", "nodeType", "nodeValue", "nodename", "nohelp", "non_word_re", "nonlocals",
	"normalize", "normalized", "normalvariate", "not_equal_witness", "not_less_witness", "notationDecl", "notify", "notifyAll", "notify_all",
	"now", "npgettext", "num_addresses", "num_tickets", "number_class", "number_of_objects", "numerator", "numeric", "obj", "object", "offset",
	"offset_data", "oid", "ok", "old_value", "onecmd", "opcode", "open_resource", "openssl_cafile", "openssl_cafile_env", "openssl_capath",
	"openssl_capath_env", "opname", "opt", "optional_vars", "options", "optionxform", "orig_filename", "output", "overlap", "overlaps", "owner",
	"ownerDocument", "ownerElement", "pack", "pack_into", "packed", "parameters", "params", "parent", "parentNode", "parents", "paretovariate",
	"parse", "parseArgs", "parse_args", "parse_bogus_comment", "parse_comment", "parse_declaration", "parse_endtag", "parse_html_declaration",
	"parse_intermixed_args", "parse_known_args", "parse_known_intermixed_args", "parse_marked_section", "parse_pi", "parse_starttag",
	"parsebytes", "parseline", "parser", "parsestr", "parties", "partition", "parts", "password", "path", "path_return_ok", "pattern",
	"pause_reading", "pause_writing", "pax_headers", "pdf", "peek", "pending", "percent", "pformat", "pgettext", "phase0", "phase1", "phase2",
	"phase3", "phase4", "phase4_closure", "pi", "pid", "pipe_connection_lost", "pipe_data_received", "plus", "poll", "pop", "pop_all",
	"pop_source", "popitem", "popleft", "port", "pos", "positions", "post_handshake_auth", "postcmd", "postloop", "power", "pprint", "prec",
	"precmd", "prefix", "prefixlen", "preloop", "prepare", "prev", "previousSibling", "print", "printErrorList", "printErrors", "print_exc",
	"print_file_and_line", "print_help", "print_stack", "print_topics", "print_usage", "print_version", "printdir", "priority", "prmonth",
	"process", "process_exited", "processingInstruction", "processor", "progName", "prompt", "proto", "protocol", "prweek", "pryear", "public",
	"publicId", "punctuation_chars", "push", "push_async_callback", "push_async_exit", "push_source", "push_token", "put", "put_nowait", "pw_dir",
	"pw_gecos", "pw_gid", "pw_name", "pw_passwd", "pw_shell", "pw_uid", "qsize", "quantiles", "quantize", "query", "queue", "quick_ratio",
	"quote_re", "quotechar", "quoting", "radix", "raise_on_defect", "randbytes", "randint", "random", "randrange", "ratio", "raw_decode",
	"raw_items", "re", "read", "read1", "read_binary", "read_bytes", "read_dict", "read_events", "read_string", "read_text", "read_token",
	"read_windows_registry", "readable", "readall", "readexactly", "readfp", "readframes", "readinto", "readinto1", "readline", "readlines",
	"readlink", "readonly", "readuntil", "ready", "real", "real_quick_ratio", "reason", "reconfigure", "recv", "recv_into", "recvfrom",
	"recvfrom_into", "recvmsg", "recvmsg_into", "refold_source", "register", "register_defect", "regs", "relative_to", "release",
	"release_segment", "remainder", "remainder_near", "remove", "removeAttribute", "removeAttributeNS", "removeAttributeNode",
	"removeAttributeNodeNS", "removeChild", "removeFilter", "removeHandler", "removeNamedItem", "removeNamedItemNS", "remove_child_handler",
	"remove_done_callback", "remove_option", "remove_reader", "remove_section", "remove_signal_handler", "remove_writer", "removeprefix",
	"removesuffix", "renameNode", "repeat", "replaceChild", "replaceData", "replaceWholeText", "replace_header", "report", "report_full_closure",
	"report_partial_closure", "repr", "repr1", "repr_array", "repr_deque", "repr_dict", "repr_frozenset", "repr_instance", "repr_int",
	"repr_list", "repr_set", "repr_str", "repr_tuple", "request", "requires", "reschedule", "reserved", "reset", "reset_mock", "resolution",
	"resolve", "resolveEntity", "resolve_dir", "resource_path", "rest", "result", "resultclass", "results", "resume_reading", "resume_writing",
	"return_annotation", "return_ok", "return_ok_domain", "return_ok_expires", "return_ok_port", "return_ok_secure", "return_ok_verifiability",
	"return_ok_version", "return_value", "returncode", "returns", "reverse", "reverse_pointer", "revert", "rewind", "rfind", "rglob", "right",
	"rindex", "rjust", "rollback", "rollover", "root", "rotate", "rounding", "row", "row_factory", "rowcount", "rows", "rpartition", "rsplit",
	"rstrip", "ru_idrss", "ru_inblock", "ru_isrss", "ru_ixrss", "ru_majflt", "ru_maxrss", "ru_minflt", "ru_msgrcv", "ru_msgsnd", "ru_nivcsw",
	"ru_nsignals", "ru_nswap", "ru_nvcsw", "ru_oublock", "ru_stime", "ru_utime", "ruler", "run", "runTest", "runTests", "run_forever",
	"run_in_executor", "run_until_complete", "running", "s", "safe", "safe_substitute", "same_quantum", "samefile", "sample", "samples",
	"saveXML", "scaleb", "scan", "scanner", "schemaType", "scheme", "scope_id", "search", "second", "seconds", "section_pairs", "sections",
	"security_level", "seed", "seek", "seekable", "select", "selected_alpn_protocol", "selected_npn_protocol", "send", "sendall", "sendfile",
	"sendmsg", "sendmsg_afalg", "sendto", "sentence_end_re", "sentinel", "separator1", "separator2", "sequence", "serialize", "serve_client",
	"server_hostname", "server_side", "session", "session_reused", "session_stats", "set", "setAttribute", "setAttributeNS", "setAttributeNode",
	"setAttributeNodeNS", "setByteStream", "setCharacterStream", "setContentHandler", "setDTDHandler", "setDaemon", "setDocumentLocator",
	"setEncoding", "setEntityResolver", "setErrorHandler", "setFeature", "setFormatter", "setIdAttribute", "setIdAttributeNS",
	"setIdAttributeNode", "setLevel", "setLocale", "setLogRecordFactory", "setLoggerClass", "setName", "setNamedItem", "setNamedItemNS",
	"setParent", "setProperty", "setPublicId", "setStream", "setSystemId", "setUp", "setUpClass", "setUserData", "set_allowed_domains",
	"set_alpn_protocols", "set_authorizer", "set_blocked_domains", "set_boundary", "set_cdata_mode", "set_charset", "set_child_watcher",
	"set_ciphers", "set_conflict_handler", "set_content", "set_cookie", "set_cookie_if_ok", "set_debug", "set_default", "set_default_executor",
	"set_default_type", "set_default_verify_paths", "set_defaults", "set_description", "set_ecdh_curve", "set_event_loop", "set_exception",
	"set_exception_handler", "set_inheritable", "set_long_opt_delimiter", "set_name", "set_nonstandard_attr", "set_npn_protocols", "set_ok",
	"set_ok_domain", "set_ok_name", "set_ok_path", "set_ok_port", "set_ok_verifiability", "set_ok_version", "set_param", "set_parser",
	"set_payload", "set_policy", "set_process_default_values", "set_progress_handler", "set_protocol", "set_raw", "set_result",
	"set_running_or_notify_cancel", "set_seq1", "set_seq2", "set_seqs", "set_servername_callback", "set_short_opt_delimiter", "set_task_factory",
	"set_title", "set_trace_callback", "set_transport", "set_type", "set_unixfrom", "set_usage", "set_write_buffer_limits", "setblocking",
	"setcomptype", "setdefault", "setfirstweekday", "setframerate", "setinputsizes", "setlimit", "setmark", "setnchannels", "setnframes",
	"setoutputsize", "setparams", "setpassword", "setpos", "setsampwidth", "setsockopt", "setstate", "setter", "settimeout", "shape",
	"shared_ciphers", "shift", "shortDescription", "shortname", "shuffle", "shutdown", "shutdown_asyncgens", "shutdown_default_executor",
	"si_band", "si_code", "si_errno", "si_pid", "si_signo", "si_status", "si_uid", "side_effect", "sign", "signature", "sixtofour", "size",
	"size_diff", "skipTest", "skipinitialspace", "skipkeys", "skippedEntity", "slope", "sni_callback", "sniff", "sock_accept", "sock_recv",
	"sock_recv_into", "sock_recvfrom", "sock_recvfrom_into", "sock_sendall", "sock_sendfile", "sock_sendto", "sockets", "sort",
	"sortTestMethodsUsing", "sort_keys", "span", "sparse", "specified", "split", "splitText", "splitlines", "sqrt", "sslobject_class",
	"sslsocket_class", "st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_size", "st_uid", "standalone", "standard_option_list",
	"starmap", "starmap_async", "start", "startDocument", "startElement", "startElementNS", "startPrefixMapping", "startTest", "startTestRun",
	"start_ns", "start_section", "start_serving", "start_tls", "starts_line", "startswith", "stat", "static_order", "statistics", "status",
	"stderr", "stdev", "stdout", "stem", "step", "stop", "stopTest", "stopTestRun", "store_option_strings", "strerror", "strftime",
	"strictErrorChecking", "strict_domain_re", "strides", "string", "strip", "strptime", "sub", "subTest", "subgroup", "submit", "subn",
	"subnet_of", "subnets", "suboffsets", "substitute", "substringData", "subtract", "successful", "suffix", "suffixes", "suiteClass", "supernet",
	"supernet_of", "swapcase", "symmetric_difference", "symmetric_difference_update", "sysname", "systemId", "tag", "tagName", "tail",
	"take_action", "takes_value", "tarfile", "target", "tarinfo", "task_done", "tb_lasti", "tb_lineno", "tb_next", "tearDown",
	"tearDownClass", "tell", "teredo", "terminate", "terminator", "testMethodPrefix", "testNamePatterns", "testzip", "text", "text_factory",
	"thread", "throw", "ticket_lifetime_hint", "time", "time_hi_version", "time_low", "time_mid", "timedelta", "timeit", "timeout", "timestamp",
	"timetuple", "timetz", "timezone", "title", "tm_gmtoff", "tm_hour", "tm_isdst", "tm_mday", "tm_min", "tm_mon", "tm_sec", "tm_wday", "tm_yday",
	"tm_year", "tm_zone", "to_bytes", "to_eng_string", "to_integral", "to_integral_exact", "to_integral_value", "to_sci_string", "tobuf",
	"tobytes", "today", "tokeneater", "tolist", "toordinal", "toprettyxml", "toreadonly", "total", "total_changes", "total_nframe",
	"total_seconds", "tounicode", "toxml", "traceback", "track_segment", "translate", "transport", "triangular", "truncate", "type",
	"type_comment", "typecode", "typeid", "tzinfo", "tzname", "uid", "uname", "unbound", "uncancel", "undoc_header", "unicode_whitespace_trans",
	"unidata_version", "uniform", "union", "universal_newlines", "unknown", "unknown_decl", "unpack", "unpack_from", "unparsedEntityDecl",
	"unregister", "unsafe", "untokenize", "unused_data", "unwrap", "update", "updatepos", "upper", "url", "urn", "usageExit", "use_rawinput",
	"used", "username", "usesTime", "utc", "utcfromtimestamp", "utcnow", "utcoffset", "utctimetuple", "utf8", "val", "valid", "validate",
	"validation_pattern", "value", "value_decode", "value_encode", "valuerefs", "values", "var", "vararg", "varargs", "variance", "variant",
	"varkw", "verbosity", "verify_client_post_handshake", "verify_flags", "verify_generated_headers", "verify_mode", "version", "visit",
	"visit_Constant", "volume", "vonmisesvariate", "wait", "wait_closed", "wait_for", "walk", "warn", "warning", "warnings", "wasSuccessful",
	"weekday", "weibullvariate", "when", "wholeText", "width", "with_hostmask", "with_name", "with_netmask", "with_prefixlen", "with_stem",
	"with_suffix", "with_traceback", "wordsep_re", "wordsep_simple_re", "wrap", "wrap_bio", "wrap_socket", "writable", "write_c14n", "write_eof",
	"write_through", "writeframes", "writeframesraw", "writeheader", "writelines", "writepy", "writerow", "writerows", "writestr", "writexml",
	"x", "y", "year", "yeardatescalendar", "yeardays2calendar", "yeardayscalendar", "z", "zfill", "zip_children", "zscore",
};

static const char effects[][NAME_ROOM] = {
	"__dict__", "__setstate__", "_closer", "_convert_", "_drv", "_evaluate", "_execute_child", "_finalizer", "_importer", "_inqueue", "_module",
	"_outqueue", "_parts", "_popen", "_quick_get", "_quick_put", "_raw_path", "_raw_paths", "_reader", "_rmtree", "_str", "_tail_cached", "_writer",
	"ag_frame", "backup", "breakpoint", "bz2open", "chdir", "chmod", "chown", "co_code", "compile", "connect", "connect_ex", "copy", "copy_into",
	"cr_frame", "create_connection", "create_datagram_endpoint", "create_module", "create_server", "create_subprocess_exec",
	"create_subprocess_shell", "create_unix_connection", "create_unix_server", "cwd", "dele", "delete", "dictConfig", "discover", "dump",
	"dump_stats", "enable_load_extension", "eval", "evaluate", "evaluate_bound", "evaluate_default", "evaluate_value", "exec", "exec_module",
	"execl", "execute", "executemany", "executescript", "execv", "execve", "expunge", "extract", "extractall", "extractfile", "f_back", "f_builtins",
	"f_code", "f_globals", "f_locals", "fchdir", "fileConfig", "find_module", "find_spec", "func_globals", "get_code", "get_data", "get_field",
	"getaddrinfo", "getattr", "getnameinfo", "gi_frame", "gzopen", "handle_request", "hardlink_to", "import_module", "kill", "lchmod", "link_to",
	"load", "loadTestsFromName", "loadTestsFromNames", "load_cert_chain", "load_dh_params", "load_extension", "load_module", "load_verify_locations",
	"makedev", "makedir", "makedirs", "makefifo", "makefile", "makelink", "makelink_with_filter", "makeunknown", "mkd", "mkdir", "modules", "move",
	"move_into", "open", "open_connection", "popen", "putenv", "raw", "read_file", "read_module", "reducer", "remove_tree", "removedirs", "rename",
	"rename_all", "replace", "resolve_name", "retrbinary", "retrieve", "rmd", "rmdir", "rmtree", "run_code", "run_module", "run_path", "runcode",
	"runsource", "save", "send_bytes", "send_signal", "sendmail", "serve_forever", "set_executable", "set_forkserver_preload", "setattr",
	"sock_connect", "sourcehook", "spawn", "start_server", "startfile", "storbinary", "store", "subprocess_exec", "subprocess_shell", "symlink_to",
	"system", "taropen", "tb_frame", "tofile", "touch", "truncate_file", "unlink", "unsetenv", "urlopen", "urlretrieve", "utime", "write",
	"write_bytes", "write_text", "xzopen", "zstopen",
};

/* Names with two underscores on both sides. */
static const char special[][NAME_ROOM] = {
	"__abs__", "__add__", "__aenter__", "__aexit__", "__aiter__", "__all__", "__and__", "__anext__", "__annotations__", "__author__", "__bool__",
	"__cause__", "__class__", "__contains__", "__context__", "__dataclass_fields__", "__doc__", "__enter__", "__eq__", "__exit__", "__file__",
	"__float__", "__format__", "__future__", "__ge__", "__getitem__", "__gt__", "__hash__", "__index__", "__init__", "__int__", "__iter__", "__le__",
	"__len__", "__lt__", "__match_args__", "__members__", "__module__", "__mul__", "__name__", "__ne__", "__neg__", "__new__", "__next__", "__notes__",
	"__or__", "__post_init__", "__qualname__", "__repr__", "__sizeof__", "__slots__", "__stderr__", "__stdin__", "__stdout__", "__str__", "__sub__",
	"__table__", "__tablename__",
	"__version__", "__xor__",
};

static int by_name(const void *key, const void *row) { return str_cmp(*(const struct str *)key, str_of(row)); }

static bool listed_in(struct str name, const char (*list)[NAME_ROOM], size_t n) { return bsearch(&name, list, n, sizeof(*list), by_name) != NULL; }

bool py_harmless_name(struct str name) { return listed_in(name, harmless, ARRAY_SIZE(harmless)); }
bool py_effect_name(struct str name) { return listed_in(name, effects, ARRAY_SIZE(effects)); }
bool py_special_name(struct str name) { return listed_in(name, special, ARRAY_SIZE(special)); }

/* The words of a text, without the dashes of options: names that an object gets for its attributes. */
static void own_words(struct python *p, struct str text)
{
	for (size_t from = 0, to; from < text.n; from = to + 1) {
		char *name;

		for (to = from; to < text.n && text.p[to] != ' ' && text.p[to] != ',';)
			to++;
		while (from < to && text.p[from] == '-')
			from++;
		name = arena_alloc(p->a, to - from + 1);
		for (size_t i = from; i < to; i++)
			name[i - from] = (char)(text.p[i] == '-' ? '_' : text.p[i]);
		if (to > from)
			p->own = pmap_set(p->a, p->own, str_n(name, to - from), p);
	}
}

/* add_argument("--name"), namedtuple("T", "a b"), SimpleNamespace(a=1): attributes of what comes of it. */
void py_own_attributes(struct python *p, TSNode function, TSNode args)
{
	static const char makers[][16] = {"add_argument", "add_option", "add_subparsers", "set_defaults", "namedtuple", "SimpleNamespace", "Namespace"};
	struct str name = node_text(p->w, node_is(function, "attribute") ? node_field(function, "attribute") : function);
	uint32_t count;
	TSNode *kids = py_children(p, args, &count);
	bool makes = false;

	for (size_t i = 0; i < ARRAY_SIZE(makers); i++)
		makes |= str_is(name, makers[i]);
	for (uint32_t i = 0; makes && i < count; i++) {
		bool keyword = node_is(kids[i], "keyword_argument");
		TSNode v = keyword ? node_field(kids[i], "value") : kids[i];

		if (keyword)
			own_words(p, node_text(p->w, node_field(kids[i], "name")));
		for (uint32_t k = 0, parts = node_is(v, "string") ? ts_node_named_child_count(v) : 0; k < parts && k < PY_ITEMS_MAX; k++)
			if (node_is(ts_node_named_child(v, k), "string_content"))
				own_words(p, node_text(p->w, ts_node_named_child(v, k)));
	}
}

static bool sorted(const char (*list)[NAME_ROOM], size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (list[i][NAME_ROOM - 1] || str_cmp(str_of(list[i - 1]), str_of(list[i])) >= 0)
			return false;
	return true;
}

bool py_names_sorted(void) { return sorted(harmless, ARRAY_SIZE(harmless)) && sorted(effects, ARRAY_SIZE(effects)) && sorted(special, ARRAY_SIZE(special)); }
