# Caisson. `make help` lists the targets; ARCHITECTURE.md says what is in which folder.
#
# Everything made goes below $(BUILD). Objects of all folders but src/cli go into one archive, which the program and the unit tests link.
# `make V=1` shows the commands.

ifeq ($(origin CC),default)
CC = gcc
endif
BUILD ?= build
PREFIX ?= /usr/local
N ?= 20000
SEED ?= fresh
RUNS ?= 20000
SEQUENCES ?= 500
PAIRS ?= 5000
CFLAGS ?= -O2 -g
SANITIZE ?=
STRIP ?= 1
FUZZER ?=
Q = $(if $(V),,@)
say = @$(if $(V),:,printf '  %-4s %s\n' $(1) $(patsubst $(CURDIR)/%,%,$(2)))
comma = ,
SUBMAKE = $(MAKE) --no-print-directory $(if $(findstring j,$(firstword -$(MAKEFLAGS))),,-j$(shell nproc))

# The same objects go into the program and into the libraries, which export nothing but the names of include/caisson.h.
PIC = -fPIC -fvisibility=hidden
FLAGS = -std=gnu11 -Wall -Wextra -Werror $(PIC) -Isrc -Iinclude -I$(BUILD)/gen -isystem $(TS)/include -MMD -MP
LIBS = -lcares -lfyaml -lpcre2-8 -lsodium -lzstd -lsqlite3 -lm -lpthread

ifneq ($(FUZZER)$(SANITIZE),)
# Sanitizers need the dynamic loader, and see more with frame pointers and without fortified string functions.
FLAGS += -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all $(if $(FUZZER),-fsanitize=fuzzer-no-link)
LINK = $(CC) -fsanitize=address,undefined
else
# A program at fixed addresses would save 4 to 5 % of check and of hook (no relocations, 11 page faults fewer), but it
# reads hostile text: random addresses are worth more.
FLAGS += $(CFLAGS) -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffunction-sections -fdata-sections
LINK = $(CC) -static-pie -fPIE -Wl,-z,relro,-z,now,-z,pack-relative-relocs -Wl,--gc-sections -Wl,--wrap=dlopen -Wl,--wrap=getservbyname -Wl,--wrap=getservbyport_r
endif

DIRS = base model knowledge shell code gate result sys config net box image keeper audit judge record run self client
obj = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(wildcard $(1)))

LIB_OBJ = $(call obj,$(DIRS:%=src/%/*.c))
CLI_OBJ = $(call obj,src/cli/*.c)
SERVE_OBJ = $(call obj,src/serve/*.c)
GEN_OBJ = $(call obj,src/knowledge/gen/*.c)
GEN_LIB_OBJ = $(call obj,src/base/*.c src/config/yaml.c src/config/yaml_plain.c src/config/knowledge_yaml.c)
PRESET_OBJ = $(call obj,src/config/gen/*.c)
FILTER_OBJ = $(call obj,src/sys/gen/*.c)
PRESETS = $(sort $(wildcard presets/*.yaml))
TABLES = knowledge variables registries network toolchains caches secrets preset embedded seccomp python javascript powershell danger format
LIB_OBJ += $(TABLES:%=$(BUILD)/obj/%_table.o)

# The grammars of inline languages come from the packages that package-lock.json pins; their sources are compiled as they are.
NPM = node_modules
SOURCES = $(NPM)/.caisson
TS = $(NPM)/tree-sitter/vendor/tree-sitter/lib
GRAMMARS = python javascript
GRAMMAR_OBJ = $(BUILD)/obj/grammar/core.o $(GRAMMARS:%=$(BUILD)/obj/grammar/%_parser.o) $(GRAMMARS:%=$(BUILD)/obj/grammar/%_scanning.o)
LIB_OBJ += $(GRAMMAR_OBJ)

# All objects but those of src/cli, for the program and the tests. The libraries that are installed: $(BUILD)/lib.
LIB = $(BUILD)/libcaisson.a
SONAME = libcaisson.so.0
PUBLIC = $(BUILD)/lib/libcaisson.a $(BUILD)/lib/$(SONAME)
PUBLIC_OBJ = $(call obj,src/lib/*.c)
PUBLIC_LIBS = -lfyaml -lpcre2-8 -lsodium -lm -lpthread
EXAMPLES = $(BUILD)/examples/judge $(BUILD)/examples/judge-shared
UNIT = $(patsubst tests/unit/%.c,$(BUILD)/test/%,$(wildcard tests/unit/test_*.c))
UNIT_HELP = $(patsubst tests/%.c,$(BUILD)/obj/tests/%.o,$(filter-out tests/unit/test_%.c,$(wildcard tests/unit/*.c)))
FUZZERS = $(patsubst fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard fuzz/fuzz_*.c))
# Below share; the first word is the shell.
COMPLETIONS = bash-completion/completions/caisson zsh/vendor-completions/_caisson fish/vendor_completions.d/caisson.fish
MAN = $(wildcard man/*.1 man/*.5 man/*.8)
OURS = $(wildcard include/*.h examples/*.c src/*/*.[ch] src/*/*/*.[ch] tests/unit/*.[ch] tests/box/*.[ch] fuzz/*.[ch] bench/*.[ch])

.PHONY: all demo check check-asan check-clients check-network check-world check-tools check-mixed check-keeper check-serve check-vm check-backends check-engines check-fresh check-built lint fuzz fuzzers bench format clean install uninstall deb dist help deps grammars FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/caisson $(BUILD)/caissond ## build the programs: build/caisson and build/caissond (the default)

# ---- building ----

# Objects depend on this file, which changes only when compiler or flags do.
$(BUILD)/flags: FORCE | $(SOURCES)
	@mkdir -p $(@D)
	@echo '$(CC) $(FLAGS) $(LINK)' | cmp -s - $@ || { scripts/can-build '$(CC)' && echo '$(CC) $(FLAGS) $(LINK)' > $@; }

$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(FLAGS) $(OWN) -c $< -o $@

$(BUILD)/obj/tests/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(FLAGS) -Itests/unit -c $< -o $@

# What is compiled of them depends on this file, which is as old as they are here.
$(SOURCES): FORCE
	@scripts/grammars
grammars: $(SOURCES)

$(call obj,src/code/*.c) $(BUILD)/obj/python_table.o $(BUILD)/obj/javascript_table.o: $(SOURCES)

$(BUILD)/obj/grammar/core.o: $(SOURCES) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$(TS)/src/lib.c)
	$(Q)$(CC) -std=gnu11 -O2 -g0 $(PIC) -D_DEFAULT_SOURCE -I$(TS)/include -I$(TS)/src -w -c $(TS)/src/lib.c -o $@

$(BUILD)/obj/grammar/%_parser.o: $(SOURCES) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$(NPM)/tree-sitter-$*/src/parser.c)
	$(Q)$(CC) -std=gnu11 -O2 -g0 $(PIC) -I$(NPM)/tree-sitter-$*/src -w -c $(NPM)/tree-sitter-$*/src/parser.c -o $@

# src/code/grammar.c stands between parser and scanner; both take their memory from it.
$(BUILD)/obj/grammar/%_scanning.o: $(SOURCES) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$(NPM)/tree-sitter-$*/src/scanner.c)
	$(Q)$(CC) -std=gnu11 -O2 -g0 $(PIC) -DTREE_SITTER_REUSE_ALLOCATOR -Dcalloc=grammar_calloc -Dfree=grammar_free -Dtree_sitter_$*_external_scanner_scan=grammar_scan_$* -I$(NPM)/tree-sitter-$*/src -w -c $(NPM)/tree-sitter-$*/src/scanner.c -o $@

# `caisson --version` shows the commit, with a plus sign for a changed tree. Sources without a repository have none.
COMMIT := $(shell git describe --always --exclude='*' --dirty=+ --abbrev=10 2>/dev/null)
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@
$(BUILD)/obj/cli/main.o: $(BUILD)/commit
$(BUILD)/obj/cli/main.o: private OWN = $(if $(COMMIT),-DCAISSON_COMMIT='" ($(COMMIT))"')

# What commands do is written in knowledge/*.yaml and baked in as a constant table.
$(BUILD)/libgen.a: $(GEN_LIB_OBJ)
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/gen-knowledge: $(GEN_OBJ) $(BUILD)/libgen.a
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ $(LIBS) -o $@

COMMANDS = $(filter-out $(addprefix knowledge/,variables.yaml registries.yaml network.yaml toolchains.yaml caches.yaml secrets.yaml),$(sort $(wildcard knowledge/*.yaml)))
$(BUILD)/gen/knowledge_table.c: $(BUILD)/gen-knowledge $(COMMANDS)
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(BUILD)/gen-knowledge $(COMMANDS) > $@

# What environment variables do is written in knowledge/variables.yaml.
$(BUILD)/gen/variables_table.c: $(BUILD)/gen-knowledge knowledge/variables.yaml
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(BUILD)/gen-knowledge --variables knowledge/variables.yaml > $@

# The effects of functions in inline code are written in knowledge/code/*.yaml.
$(BUILD)/gen/python_table.c $(BUILD)/gen/javascript_table.c: $(BUILD)/gen/%_table.c: knowledge/code/%.yaml scripts/code-tables
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)scripts/code-tables $* < $< > $@

$(BUILD)/gen/powershell_table.c: knowledge/code/powershell.yaml scripts/powershell-table
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)scripts/powershell-table < $< > $@

# The hosts of package registries are written in knowledge/registries.yaml.
$(BUILD)/gen/registries_table.c: $(BUILD)/gen-knowledge knowledge/registries.yaml
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(BUILD)/gen-knowledge --registries knowledge/registries.yaml > $@

# Forms of commands whose use of the network is known are written in knowledge/network.yaml.
$(BUILD)/gen/network_table.c: $(BUILD)/gen-knowledge knowledge/network.yaml
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(BUILD)/gen-knowledge --network knowledge/network.yaml > $@

# The parts of toolchains that boxes see are written in knowledge/toolchains.yaml.
$(BUILD)/gen/toolchains_table.c: $(BUILD)/gen-knowledge knowledge/toolchains.yaml
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(BUILD)/gen-knowledge --toolchains knowledge/toolchains.yaml > $@

# The caches of tools in a home are written in knowledge/caches.yaml.
$(BUILD)/gen/caches_table.c: $(BUILD)/gen-knowledge knowledge/caches.yaml
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(BUILD)/gen-knowledge --caches knowledge/caches.yaml > $@

# Forms of secrets are written in knowledge/secrets.yaml.
$(BUILD)/gen/secrets_table.c: $(BUILD)/gen-knowledge knowledge/secrets.yaml
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(BUILD)/gen-knowledge --secrets knowledge/secrets.yaml > $@

# Dangerous commands are written in knowledge/gate/dangers.yaml.
$(BUILD)/gen/danger_table.c: knowledge/gate/dangers.yaml scripts/danger-table
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)scripts/danger-table < $< > $@

# Formats of tools' output are written in knowledge/result/formats.yaml.
$(BUILD)/gen/format_table.c: knowledge/result/formats.yaml scripts/format-table
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)scripts/format-table < $< > $@

# Presets are text of the policy language, baked in so that importing one opens no file.
$(BUILD)/gen-presets: $(PRESET_OBJ) $(BUILD)/libgen.a
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ $(LIBS) -o $@

$(BUILD)/gen/preset_table.c: $(BUILD)/gen-presets $(PRESETS)
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(BUILD)/gen-presets $(PRESETS) > $@

# The pages that `caisson help TOPIC` prints.
PAGES = audit backends box classifier clients hooks images mcp metrics nested network permissions \
	policy presets protected-paths result run selftest serve skills validators validators-data

# Files that the program carries: NAME=FILE, where src/base/embedded.h declares the name.
EMBEDDED = selftest_attempts=selftest/attempts.txt selftest_ordinary=selftest/ordinary.txt \
	plugin_opencode=clients/opencode/caisson.js schema_report=docs/schema/report.schema.json \
	schema_check_answer=docs/schema/check-answer.schema.json \
	policy_shapes=knowledge/policy/shapes.yaml policy_starter=knowledge/policy/starter.yaml \
	witness_node=witness/node.cjs witness_pytest=witness/caisson_witness.py witness_exec=witness/exec.sh \
	witness_ctest=witness/ctest.sh preload_python=preload/python.py \
	$(foreach page,$(PAGES),page_$(subst -,_,$(page))=docs/$(page).md)
$(BUILD)/gen/embedded_table.c: Makefile scripts/embed $(foreach pair,$(EMBEDDED),$(lastword $(subst =, ,$(pair))))
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)scripts/embed $(EMBEDDED) > $@

# The system call filter, compiled to the kernel's language. The program itself does not need libseccomp.
$(BUILD)/gen-seccomp: $(FILTER_OBJ)
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ -lseccomp -o $@

$(BUILD)/gen/seccomp_table.c: $(BUILD)/gen-seccomp
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(BUILD)/gen-seccomp > $@

$(BUILD)/obj/%_table.o: $(BUILD)/gen/%_table.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(FLAGS) -c $< -o $@

$(LIB): $(LIB_OBJ)
	@rm -f $@
	@ar rcs $@ $^

# Linked from objects, so that those of a folder lie side by side: out of an archive they come in the order in which
# they are needed, which costs 5 page faults at each start.
# Copied once: a linker writes here and there, and the kernel then caches the file in small pieces. A file that was
# written from its start to its end saves 7 % of check and of hook. Writes of 1 MB save 3 to 4 % more of both (23 page
# faults fewer): cp and install write less at a time.
copy_program = dd if=$(1) of=$(2).new bs=1M status=none && chmod 755 $(2).new && mv -f $(2).new $(2)
$(BUILD)/caisson: $(CLI_OBJ) $(LIB_OBJ)
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ $(LIBS) -o $@.linked
	@$(call copy_program,$@.linked,$@)
	@rm -f $@.linked

# The daemon shares all code with the program. It is linked dynamically: Debian's libmicrohttpd needs gnutls, which has
# no static library.
DAEMON_LIBS = -Wl,-Bstatic $(filter-out -lm -lpthread,$(LIBS)) -Wl,-Bdynamic -lmicrohttpd -lm -lpthread
$(BUILD)/caissond: $(SERVE_OBJ) $(filter-out %/main.o,$(CLI_OBJ)) $(LIB_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(if $(SANITIZE),-fsanitize=address$(comma)undefined,-pie -Wl$(comma)-z$(comma)relro -Wl$(comma)-z$(comma)now -Wl$(comma)--gc-sections) $^ $(DAEMON_LIBS) -o $@

# One object with all that judging needs, in which only the names of the public header are global.
$(BUILD)/lib/libcaisson.a: $(PUBLIC_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -r -nostdlib $^ -o $(BUILD)/lib/caisson.o
	$(Q)objcopy --wildcard --keep-global-symbol='caisson_*' $(BUILD)/lib/caisson.o
	@rm -f $@
	@ar rcs $@ $(BUILD)/lib/caisson.o

$(BUILD)/lib/$(SONAME): $(PUBLIC_OBJ) $(LIB) src/lib/caisson.map
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared $(if $(SANITIZE),-fsanitize=address$(comma)undefined,-Wl$(comma)-z$(comma)defs) -Wl,-soname,$(SONAME) -Wl,--version-script=src/lib/caisson.map -Wl,-z,relro,-z,now -Wl,--gc-sections $(filter %.o %.a,$^) $(PUBLIC_LIBS) -o $@
	@ln -sf $(SONAME) $(BUILD)/lib/libcaisson.so

# Examples are compiled as their readers would: with the public header and an installed library alone.
EXAMPLE = $(CC) -std=gnu11 -O2 -g -Wall -Wextra -Werror $(if $(SANITIZE),-fsanitize=address$(comma)undefined) -Iinclude
$(BUILD)/examples/judge: examples/judge.c include/caisson.h $(BUILD)/lib/libcaisson.a
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(EXAMPLE) $< $(BUILD)/lib/libcaisson.a $(PUBLIC_LIBS) -o $@

$(BUILD)/examples/judge-shared: examples/judge.c include/caisson.h $(BUILD)/lib/$(SONAME)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(EXAMPLE) $< -L$(BUILD)/lib -lcaisson -Wl,-rpath,$(abspath $(BUILD)/lib) -o $@

# The C library's own DNS parser, to read answers.
$(BUILD)/test/test_net_dns: private LIBS += -lresolv

$(BUILD)/test/%: $(BUILD)/obj/tests/unit/%.o $(UNIT_HELP) $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ $(LIBS) -o $@

# The program again, with allocations that can be made to fail (tests/torture/fail.c).
TORTURE_WRAPS = arena_alloc arena_array arena_grow malloc calloc realloc _exit
$(BUILD)/torture/caisson: $(BUILD)/obj/tests/torture/fail.o $(CLI_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK) $(TORTURE_WRAPS:%=-Wl,--wrap=%) $^ $(LIBS) -o $@

# What tests run inside boxes: a program that tries to get out, static so that it runs in any root, and one that runs others behind the filter alone.
$(BUILD)/box/probe: $(wildcard tests/box/probe*.[ch])
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -O2 -Wall -Wextra -Werror -static $(filter %.c,$^) -lpthread -o $@

$(BUILD)/box/exhaust: tests/box/exhaust.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -O2 -Wall -Wextra -Werror -static $< -lrt -o $@

$(BUILD)/box/filtered: tests/box/filtered.c $(LIB)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(LINK) $(FLAGS) -MF $(BUILD)/obj/filtered.d $< $(LIB) -o $@

# A program behind a relay without a box around it, for tests of the relay.
$(BUILD)/box/relay_run: tests/box/relay_run.c $(LIB)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(LINK) $(FLAGS) -MF $(BUILD)/obj/relay_run.d $< $(LIB) $(LIBS) -o $@

# ---- running ----

SETS ?= build

deps: ## install the packages of SETS ("build test lint clang clients bench fresh vm world tools backends package"; build) with apt-get; demo, check and the others install theirs
	@scripts/deps $(SETS)

demo: ## build, judge a handful of commands and say why, run two scripts in boxes
	@scripts/deps build
	@$(SUBMAKE) all
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) scripts/demo

check: ## build and run all tests
	@scripts/deps build test
	@$(SUBMAKE) check-built

check-built: all $(UNIT) $(BUILD)/torture/caisson $(PUBLIC) $(EXAMPLES) $(BUILD)/box/probe $(BUILD)/box/exhaust $(BUILD)/box/filtered $(BUILD)/box/relay_run $(BUILD)/bench/rows
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) SANITIZE=$(SANITIZE) scripts/run-tests $(UNIT) $(sort $(wildcard tests/run/*.sh))

check-asan: ## the same tests with AddressSanitizer and UBSan, below build-asan
	@scripts/deps build test clang
	@$(SUBMAKE) check-built BUILD=build-asan SANITIZE=1 CC=clang

# Which clients: the names of scripts in tests/clients.
CLIENTS ?= $(sort $(filter-out lib day server_day screen codex_lib,$(patsubst tests/clients/%.sh,%,$(wildcard tests/clients/*.sh))))

check-clients: ## drive real agent clients (pinned, from npm) against a scripted model on loopback (CLIENTS="claude-code codex ...")
	@scripts/deps build test clients
	@$(SUBMAKE) all
	@tests/clients/install $(CLIENTS) || echo 'not all clients could be installed: their tests are skipped'
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) scripts/run-tests $(CLIENTS:%=tests/clients/%.sh)

check-fresh: ## the README with the Debian package, make demo and make check on a minimal Debian 12 of its own (needs root)
	@scripts/deps build fresh
	@BUILD=$(abspath $(BUILD)) scripts/check-fresh

check-vm: ## the tests of the box in a virtual machine: cgroup v2, systemd, root and ordinary users (needs the packages of SETS=vm)
	@scripts/deps build
	@$(SUBMAKE) all $(BUILD)/box/probe $(BUILD)/box/exhaust $(addprefix $(BUILD)/test/test_,cgroup dbus landlock seccomp sys watch)
	@BUILD=$(abspath $(BUILD)) scripts/check-vm

check-backends: ## boxes made by bubblewrap, runc, crun, Docker and Podman, started for it, as root and as an ordinary user (needs root; BACKENDS="runc podman")
	@scripts/deps build backends
	@$(SUBMAKE) all
	@BUILD=$(abspath $(BUILD)) scripts/check-backends $(BACKENDS)

check-engines: ## engines of boxes killed at 20 random points each, dead, on a full disk; boxes in real machines of qemu (needs root)
	@scripts/deps build backends vm
	@$(SUBMAKE) all
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) TEST_TIMEOUT=3000 ENGINE_KILLS=20 JOBS=1 \
		scripts/run-tests tests/backends/engine_kills.sh tests/backends/vm.sh

lint: ## layering, purity, banned functions, documented ids, names, words, texts in tables, sizes, cppcheck
	@scripts/deps build lint
	@$(SUBMAKE) grammars
	@scripts/lint

# A seed of its own for each run, printed so that a failure can be repeated.
new_seed = seed=$(SEED); [ "$$seed" != fresh ] || seed=$$(od -An -N6 -tx1 /dev/urandom | tr -d ' '); echo "seed $$seed"

check-network: ## installs with the real npm and apt through the relay, from the registries that this machine uses
	@scripts/deps build test
	@$(SUBMAKE) all
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) scripts/run-tests tests/network/installs.sh

# Which rows: names of projects in tests/world/projects, or PROJECT/ROW; none: all.
MODE ?= run
TURNS ?= 4
check-evidence: all ## spoofs of test results and honest sessions, with real runners in boxes (ROWS="part of a name")
	@CAISSON=$(BUILD)/caisson /usr/bin/python3 tests/evidence/sessions.py $(if $(ROWS),'$(ROWS)') > $(BUILD)/evidence.tap; \
		grep '^not ok' $(BUILD)/evidence.tap; tail -n 2 $(BUILD)/evidence.tap; ! grep -q '^not ok' $(BUILD)/evidence.tap

check-world: ## typical commands of real projects outside and inside the box: the same status, files, output; overhead (MODE=run, hook or always; ROWS="node git/rebase", TURNS=4)
	@scripts/deps build world
	@$(SUBMAKE) all
	@CAISSON=$(abspath $(BUILD)/caisson) /usr/bin/python3 tests/world/run.py --mode $(MODE) --pairs $(TURNS) $(ROWS)

# Which tools: names in tests/tools, or TOOL/CASE; none: all.
check-tools: ## run test runners and checkers on small projects and judge what they print today (TOOLS="gtest jest"); keeps the outputs in build/tools
	@scripts/deps build tools
	@$(SUBMAKE) all
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) tests/tools/run $(TOOLS)

check-mixed: N = 1000
check-mixed: ## N runs with known outcomes as root and as many as an ordinary user (N=1000 SEED=fresh)
	@scripts/deps build test
	@$(SUBMAKE) all
	@$(new_seed); CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) SEED=$$seed EACH=$(N) TEST_TIMEOUT=7200 scripts/run-tests tests/run/box_mixed.sh

check-keeper: POINTS = 200
check-keeper: DAEMONS = 1000
check-keeper: ## boxes in the background: processes killed at POINTS=200 random points, a quarter more with a published port, DAEMONS=1000 one after the other without growth
	@scripts/deps build test
	@$(SUBMAKE) all
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) POINTS=$(POINTS) DAEMONS=$(DAEMONS) TEST_TIMEOUT=7200 scripts/run-tests tests/run/background.sh

check-serve: RUNS = 10000
check-serve: KILLS = 50
check-serve: ## caissond: RUNS=10000 runs with known ends, 64 at once, KILLS=50 of the server; deadlines of slow callers; published clients of Piston and agent frameworks from npm
	@scripts/deps build test
	@$(SUBMAKE) all
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) RUNS=$(RUNS) PARALLEL=64 KILLS=$(KILLS) SLOW=1 TEST_TIMEOUT=7200 scripts/run-tests tests/run/serve_load.sh tests/run/serve_hostile.sh tests/serve/piston.sh tests/serve/agents.sh

fuzz: ## compare with real shells on N generated programs (N=20000 SEED=fresh), run the first parts of requests for real (PAIRS=5000), plant repositories from boxes (SEQUENCES=500), fail every allocation along run, hook and mcp, then run the libFuzzer targets
	@scripts/deps build test clang
	@$(SUBMAKE) all
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) tests/oracle/fuzz --n $(N) --seed $(SEED)
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) tests/oracle/sequence.py --n $(PAIRS) --seed $(SEED)
	@$(new_seed); CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) SEED=$$seed COUNT=$(SEQUENCES) FULL=1 TEST_TIMEOUT=7200 scripts/run-tests tests/run/box_property.sh
	@$(SUBMAKE) $(BUILD)/torture/caisson
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) SECONDS_EACH=0 TEST_TIMEOUT=7200 scripts/run-tests tests/run/unwind.sh
	@$(SUBMAKE) fuzzers

fuzzers: ## build the libFuzzer targets of fuzz/ and run each RUNS times (RUNS=20000)
	@scripts/deps build clang
	@$(SUBMAKE) fuzzers-built BUILD=build-fuzz FUZZER=1 CC=clang
	@fuzz/run build-fuzz/fuzz $(RUNS)

.PHONY: fuzzers-built
fuzzers-built: $(FUZZERS)

# The daemon's code is in no library.
$(BUILD)/fuzz/fuzz_serve: $(filter-out %/serve_main.o,$(SERVE_OBJ)) $(filter-out %/main.o,$(CLI_OBJ))
$(BUILD)/fuzz/fuzz_serve: private LIBS += -lmicrohttpd
$(BUILD)/fuzz/%: fuzz/%.c $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(FLAGS) -fsanitize=fuzzer $< $(filter %.o,$^) $(LIB) $(LIBS) -o $@

bench: ## measure against bash, side by side; prints ratios
	@scripts/deps build bench
	@$(SUBMAKE) all $(BUILD)/examples/judge $(BUILD)/bench/inside $(BUILD)/bench/inline $(BUILD)/bench/validate $(BUILD)/bench/rows $(BUILD)/bench/relay $(BUILD)/bench/walls
	@CAISSON=$(abspath $(BUILD)/caisson) BUILD=$(abspath $(BUILD)) bench/run

$(BUILD)/bench/%: bench/%.c $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK) $(FLAGS) $< $(LIB) $(LIBS) -o $@

format: ## lay out the C sources by .clang-format
	clang-format -i $(OURS)

# What pkg-config answers about the installed libraries.
VERSION = $(shell sed -n 's/.*CAISSON_VERSION "\(.*\)".*/\1/p' src/base/version.h 2>/dev/null)
define PKG_CONFIG_FILE
prefix=$(PREFIX)
includedir=$${prefix}/include
libdir=$${prefix}/lib

Name: caisson
Description: judges shell commands before they run
Version: $(VERSION)
Cflags: -I$${includedir}
Libs: -L$${libdir} -lcaisson
Libs.private: $(PUBLIC_LIBS)
endef
export PKG_CONFIG_FILE

# The program without its symbols; gdb finds them in .debug beside the installed program.
$(BUILD)/caisson.stripped: $(BUILD)/caisson
	@objcopy --only-keep-debug --compress-debug-sections=zlib $< $(BUILD)/caisson.debug
	@strip --strip-all -o $@.new $<
	@objcopy --add-gnu-debuglink=$(BUILD)/caisson.debug $@.new
	@mv -f $@.new $@

install: all $(PUBLIC) $(if $(STRIP),$(BUILD)/caisson.stripped) ## install program, libraries, manual pages, documentation and plugins (PREFIX=/usr/local, DESTDIR, STRIP= keeps symbols in the programs)
	install -d $(DESTDIR)$(PREFIX)/bin
	$(call copy_program,$(BUILD)/caisson$(if $(STRIP),.stripped),$(DESTDIR)$(PREFIX)/bin/caisson)
	install $(if $(STRIP),-s) -m 755 $(BUILD)/caissond $(DESTDIR)$(PREFIX)/bin/caissond
	$(if $(STRIP),install -D -m 644 $(BUILD)/caisson.debug $(DESTDIR)$(PREFIX)/bin/.debug/caisson.debug)
	install -D -m 644 packaging/systemd/caissond.service $(DESTDIR)$(PREFIX)/lib/systemd/user/caissond.service
	install -D -m 644 include/caisson.h $(DESTDIR)$(PREFIX)/include/caisson.h
	install -D -m 644 $(BUILD)/lib/libcaisson.a $(DESTDIR)$(PREFIX)/lib/libcaisson.a
	install -D -m 755 $(BUILD)/lib/$(SONAME) $(DESTDIR)$(PREFIX)/lib/$(SONAME)
	@strip --strip-debug $(DESTDIR)$(PREFIX)/lib/libcaisson.a
	@strip --strip-unneeded $(DESTDIR)$(PREFIX)/lib/$(SONAME)
	@ln -sf $(SONAME) $(DESTDIR)$(PREFIX)/lib/libcaisson.so
	@install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig
	@printf '%s\n' "$$PKG_CONFIG_FILE" >$(DESTDIR)$(PREFIX)/lib/pkgconfig/caisson.pc
	@cd examples && find . -type f | while read -r f; do install -D -m 644 "$$f" "$(DESTDIR)$(PREFIX)/share/doc/caisson/examples/$$f"; done
	@cd clients && find . -type f | while read -r f; do install -D -m 644 "$$f" "$(DESTDIR)$(PREFIX)/share/caisson/$$f"; done
	@cd docs && find . -type f | while read -r f; do install -D -m 644 "$$f" "$(DESTDIR)$(PREFIX)/share/doc/caisson/$$f"; done
	@install -d "$(DESTDIR)$(PREFIX)/share/caisson/.claude-plugin"
	@sed 's|"./clients/|"./|' .claude-plugin/marketplace.json >"$(DESTDIR)$(PREFIX)/share/caisson/.claude-plugin/marketplace.json"
	@for m in $(MAN); do install -D -m 644 "$$m" "$(DESTDIR)$(PREFIX)/share/man/man$${m##*.}/$${m##*/}"; done
	@for f in $(COMPLETIONS); do install -d "$(DESTDIR)$(PREFIX)/share/$${f%/*}" && $(BUILD)/caisson completion $${f%%[-/]*} >"$(DESTDIR)$(PREFIX)/share/$$f"; done
	@printf '%s\n' 'installed below $(DESTDIR)$(PREFIX): caisson, libcaisson, manual pages, documentation, plugins, completions' \
		'next: caisson init (hooks for your agents), caisson doctor (what this machine can enforce)'

deb dist: all ## packages below build/dist: a Debian package, a tarball (packaging/README.md)
	@rm -rf $(BUILD)/stage && $(MAKE) --no-print-directory install PREFIX=/usr DESTDIR=$(abspath $(BUILD))/stage STRIP= >/dev/null
	@BUILD=$(BUILD) KEY='$(KEY)' MAINTAINER='$(MAINTAINER)' scripts/package $@ $(abspath $(BUILD))/stage

# Hooks that name a missing program block every command, so their settings are looked at first.
uninstall: ## remove what make install put below PREFIX; first: caisson init --remove
	@scripts/uninstall "$(DESTDIR)$(PREFIX)" $(COMPLETIONS)

clean: ## remove everything made
	rm -rf build build-asan build-fuzz

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

-include $(shell find $(BUILD)/obj $(BUILD)/fuzz -name '*.d' 2>/dev/null)
