/*
 * The language rows of the scanner: functions with effects, and names without effect outside the program. See
 * script.c.
 */
#include "code/script.h"

static const struct script_act perl_acts[] = {
	{"system", "s"}, {"exec", "s"}, {"unlink", "d*"}, {"rmdir", "d"}, {"mkdir", "w"}, {"rename", "Dw"},
	{"", ""},
};
static const struct script_act ruby_acts[] = {
	{"system", "s"}, {"exec", "s"}, {"File.read", "r"}, {"File.readlines", "r"}, {"File.foreach", "r"},
	{"File.size", "r"}, {"File.mtime", "r"}, {"File.exist?", ""}, {"File.file?", ""},
	{"File.directory?", ""},
	{"File.basename", ""}, {"File.extname", ""}, {"File.dirname", ""}, {"File.join", ""},
	{"File.write", "w"}, {"File.delete", "d*"}, {"File.unlink", "d*"}, {"File.rename", "Dw"},
	{"Dir.glob", ""}, {"Dir.pwd", ""}, {"Dir.children", "r"}, {"Dir.entries", "r"}, {"Dir.mkdir", "w"},
	{"Dir.rmdir", "d"}, {"Dir.delete", "d"}, {"Dir.exist?", ""},
	{"FileUtils.rm_rf", "D*"}, {"FileUtils.rm_r", "D*"}, {"FileUtils.rm", "d*"}, {"FileUtils.rm_f", "d*"},
	{"FileUtils.mkdir_p", "w*"}, {"FileUtils.mkdir", "w*"}, {"FileUtils.touch", "w*"},
	{"FileUtils.cp", "rw"},
	{"FileUtils.mv", "DW"}, {"", ""},
};
static const struct script_act php_acts[] = {
	{"system", "s"}, {"exec", "s"}, {"shell_exec", "s"}, {"passthru", "s"}, {"file_get_contents", "r"},
	{"file", "r"}, {"filesize", "r"}, {"filemtime", "r"}, {"file_exists", ""}, {"is_file", ""},
	{"is_dir", ""},
	{"glob", ""}, {"scandir", "r"}, {"file_put_contents", "w"}, {"unlink", "d"}, {"rmdir", "d"},
	{"mkdir", "w"}, {"rename", "DW"}, {"copy", "rw"}, {"touch", "w"}, {"", ""},
};
static const struct script_act lua_acts[] = {
	{"os.execute", "s"}, {"io.lines", "r"}, {"os.remove", "d"}, {"os.rename", "Dw"}, {"", ""},
};

static const struct script_language languages[] = {
	{
		.lang = LANG_PERL,
		.acts = perl_acts, .perl = true, .sigil = true, .hash_comment = true,
		.words = "print printf say if elsif else unless while until for foreach next last redo "
		"return and or not xor eq ne lt gt le ge cmp x do "
			"my our local split join push pop shift unshift splice reverse sort map grep keys "
			"values each exists delete defined scalar wantarray "
			"length substr index rindex uc lc ucfirst lcfirst chomp chop chr ord sprintf hex "
			"oct abs int sqrt sin cos atan2 exp log rand srand time localtime gmtime "
			"lc pos quotemeta study undef ref die warn exit pack unpack vec sum sum0 min max "
			"first any all none uniq uniqnum shuffle reduce product floor ceil fmod pow "
			"strftime Dumper "
			"encode_json decode_json STDIN STDOUT STDERR BEGIN END eof binmode sub a b continue "
			"looks_like_number",
		.before = "print printf say if elsif unless while until and or not xor eq ne lt gt le ge "
				"cmp x return split join push unshift map grep die warn any all none "
				"first keys values each scalar sort reverse defined exists delete for "
				"foreach",
		.members = "", .defines = "my our local", .import = "use no require",
		.never = "system exec fork qx open opendir unlink rename mkdir rmdir link symlink chmod "
				"chown eval syscall kill socket connect bind listen accept sysopen "
				"syswrite truncate utime dbmopen glob "
			"readpipe pipe wait waitpid select umask chroot chdir flock fcntl ioctl tie bless "
			"AUTOLOAD DESTROY __END__ __DATA__ format write dump lstat_ readline",
		.libraries = "strict warnings utf8 feature integer bigint List::Util Scalar::Util POSIX "
				"Data::Dumper JSON::PP Time::Local Time::HiRes Text::Wrap MIME::Base64 "
				"Digest::MD5 Digest::SHA Encode diagnostics",
	},
	{
		.lang = LANG_RUBY,
		.acts = ruby_acts, .marks = true, .hash_brace = true, .hash_comment = true,
		.dot_member = true,
		.words = "gsub sub chomp chop puts print p pp printf format sprintf if elsif else unless "
		"while until for in do end then case when and or not nil true false self begin rescue "
		"ensure return next break redo "
			"yield loop rand srand sleep gets exit raise Integer Float String Array Hash "
			"Rational Complex Math Time Date DateTime JSON Set Struct Random Comparable "
			"Enumerable PI E RUBY_VERSION RUBY_PLATFORM "
			"RUBY_ENGINE STDIN STDOUT STDERR ENV ARGV StandardError ArgumentError RuntimeError "
			"lambda proc block_given? defined? __LINE__ Range Symbol Numeric",
		.before = "puts print p pp printf format sprintf if elsif unless while until in do then "
				"when and or not return next break raise begin case else yield",
		.members =
			"to_s to_i to_f to_a to_h to_sym to_r inspect length size count sum min max minmax "
			"sort sort_by min_by max_by reverse uniq compact flatten map flat_map collect "
			"each each_with_index each_with_object "
			"each_slice each_cons each_char each_line each_byte select filter reject find "
			"detect partition group_by tally zip first last take drop take_while drop_while "
			"include? any? all? none? one? empty? nil? "
			"key? has_key? value? keys values join split strip lstrip rstrip chomp chop chars "
			"bytes lines upcase downcase capitalize swapcase gsub gsub! sub sub! tr delete "
			"squeeze scan match match? start_with? "
			"end_with? index rindex center ljust rjust slice fetch dig merge merge! "
			"transform_values transform_keys invert push pop shift unshift append prepend "
			"concat insert delete_at delete_if dup clone freeze "
			"round floor ceil abs truncate divmod pow gcd lcm digits even? odd? zero? positive? "
			"negative? times upto downto step succ pred chr ord hex oct to_json parse "
			"generate pretty_generate now today "
			"strftime iso8601 year month day hour minute min sec wday yday sqrt sin cos tan log "
			"log2 log10 exp hypot cbrt new with_index encoding force_encoding encode "
			"unicode_normalize valid_encoding? "
			"unpack unpack1 pack hash puts print write printf flush sync read gets each_entry "
			"readlines rotate sample shuffle product combination permutation transpose cycle "
			"lazy force entries "
			"is_a? kind_of? instance_of? respond_to? class name eql? equal? between? clamp nan? "
			"infinite? finite? bit_length fdiv modulo remainder rand bsearch chunk_while "
			"slice_when filter_map "
			"each_key each_value store compact! sort! reverse! uniq! map! select! reject! "
			"upcase! downcase! strip! chomp! capitalize! values_at assoc at message "
			"full_message",
		.never = "system exec spawn fork open eval instance_eval class_eval module_eval send "
				"public_send __send__ method methods define_method binding "
				"require_relative load autoload Kernel Object BasicObject File Dir "
			"FileUtils IO Open3 Process Module Class ObjectSpace Marshal Fiddle Socket "
			"TCPSocket Net URI syscall trap at_exit test set_trace_func callcc "
			"instance_variable_get const_get const_set "
			"__END__ BEGIN END alias undef def class module include extend __FILE__ __dir__ "
			"warn_ exit! caller Thread Ractor Signal Tempfile Pathname GC RubyVM "
			"TOPLEVEL_BINDING to_proc call tap then",
		.defines = "", .import = "require",
				.libraries = "fileutils json date time set bigdecimal prime matrix pp "
				"digest securerandom",
	},
	{
		.lang = LANG_PHP,
		.acts = php_acts, .sigil = true, .hash_comment = true, .slash_comment = true,
		.words = "echo print if elseif else while for foreach as do switch case default break "
		"continue return and or xor instanceof true false null TRUE FALSE NULL array list isset "
		"empty unset fn function static int string bool "
			"float mixed match new DateTime DateTimeImmutable DateInterval stdClass exit die "
			"var_dump var_export print_r printf sprintf vsprintf number_format implode explode "
			"join str_replace str_ireplace str_repeat str_pad str_split str_contains "
			"str_starts_with str_ends_with str_word_count strlen strtolower "
			"strtoupper ucfirst ucwords lcfirst trim ltrim rtrim substr substr_count strpos "
			"stripos strrpos strstr strrev strcmp strcasecmp strncmp strnatcmp nl2br wordwrap "
			"chunk_split md5 sha1 hash crc32 base64_encode "
			"base64_decode bin2hex hex2bin urlencode urldecode rawurlencode rawurldecode "
			"http_build_query htmlspecialchars htmlentities html_entity_decode strip_tags "
			"addslashes stripslashes json_encode json_decode "
			"json_last_error_msg serialize count sizeof sort rsort asort arsort ksort krsort "
			"in_array array_keys array_values array_merge array_combine array_slice "
			"array_splice array_sum array_product array_unique "
			"array_reverse array_search array_key_exists array_flip array_fill array_fill_keys "
			"array_column array_chunk array_diff array_intersect array_pad array_pop "
			"array_push array_shift array_unshift array_rand "
			"array_key_first array_key_last range compact shuffle min max abs floor ceil round "
			"sqrt pow exp log log10 log2 sin cos tan pi fmod intdiv rand mt_rand random_int "
			"random_bytes is_numeric is_int is_string is_array "
			"is_null is_bool is_float intval floatval strval boolval settype gettype "
			"get_debug_type date time mktime strtotime microtime hrtime checkdate "
			"date_default_timezone_get date_default_timezone_set usleep sleep "
			"phpversion php_uname php_sapi_name memory_get_usage memory_get_peak_usage "
			"PHP_VERSION PHP_EOL PHP_OS PHP_INT_MAX PHP_INT_MIN PHP_INT_SIZE PHP_OS_FAMILY "
			"M_PI JSON_PRETTY_PRINT JSON_UNESCAPED_SLASHES "
			"JSON_UNESCAPED_UNICODE JSON_THROW_ON_ERROR extension_loaded get_loaded_extensions "
			"ini_get function_exists class_exists defined version_compare preg_match "
			"preg_match_all preg_replace preg_split preg_quote "
			"ord chr dechex hexdec bindec decbin octdec decoct base_convert uniqid "
			"password_hash password_verify mb_strlen mb_substr mb_strtoupper mb_strtolower "
			"mb_strpos iconv utf8_encode utf8_decode sys_get_temp_dir "
			"getcwd basename dirname pathinfo ctype_digit ctype_alpha ctype_alnum levenshtein "
			"similar_text soundex metaphone PHP_FLOAT_EPSILON E_ALL error_reporting "
			"gc_collect_cycles STDIN fgets stream_get_contents",
		.before = "", .members = "format modify getTimestamp diff add sub setTimezone getTimezone",
		.never = "eval include include_once require require_once exec shell_exec system passthru "
				"proc_open popen assert create_function call_user_func "
				"call_user_func_array extract parse_str GLOBALS goto declare namespace use",
		.defines = "", .import = "", .libraries = "",
	},
	{
		.lang = LANG_LUA,
		.acts = lua_acts, .dash_comment = true, .dot_member = true,
		.words = "print if then else elseif end for in do while repeat until local function return "
		"break and or not nil true false ipairs pairs next tostring tonumber type select unpack "
		"string table math os io utf8 "
			"pcall error assert arg _VERSION bit bit32 band bor bxor",
		.before = "print return and or not in then else elseif do if while until",
		.members = "format rep sub gsub gmatch match find len lower upper reverse byte char concat "
				"insert sort unpack pack floor ceil abs max min sqrt sin cos tan pi huge "
				"random randomseed fmod modf log exp pow "
			"tointeger type maxinteger mininteger ult date time clock difftime getenv write "
			"read stdout stderr stdin band bor bxor lshift rshift codepoint codes charpattern "
			"move maxn",
		.never = "load loadstring loadfile dofile require debug package _G _ENV getfenv setfenv "
				"getmetatable setmetatable rawset rawget module collectgarbage coroutine "
				"newproxy ffi jit execute popen open remove rename "
			"tmpname exit output input lines setlocale dump",
		.defines = "", .import = "", .libraries = "",
				.roots = "string table math os io utf8 bit bit32",
	},
};

const struct script_language *script_language(enum lang lang)
{
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
		if (languages[i].lang == lang)
			return &languages[i];
	return NULL;
}
