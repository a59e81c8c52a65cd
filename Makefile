# perfcheck: `make` builds ./perfcheck, `make test` tests it, `make demo` shows it. See README.md.
#
# Every flavour (plain, asan, valgrind ...) has its own build folder, built by the same rules.

CC      ?= cc
CFLAGS  ?= -O2 -g
OBJCOPY ?= objcopy
FLAVOUR ?= plain
B       := build/$(FLAVOUR)

STD      := -std=c11 -Isrc -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -ffile-prefix-map=$(CURDIR)=.
WARN     := -Wall -Wextra -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wwrite-strings -Wundef -Wvla
# A stack of 64 KiB is enough (tests/test_rewrite).
SMALL_FRAMES := -Wframe-larger-than=24576
# Against what a defect in the parser could do. The program and the library are made of the same objects. Control-flow protection is for x86-64; FORTIFY is for the plain build, as it
# needs optimisation and hides calls from sanitizers.
HARDEN   := -fPIC -fvisibility=hidden -fstack-protector-strong -fstack-clash-protection \
            $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),-fcf-protection)
FORTIFY  := $(if $(filter plain static%,$(FLAVOUR)),$(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
# The process that parses gives up its rights. Not in builds whose tools open files, start processes or trace later (sanitizers,
# coverage, valgrind), nor in the harness cli, which runs many commands in one process.
CONFINE  := $(if $(filter plain static% lint-% mutate,$(FLAVOUR)),$(if $(filter -fsanitize=% --coverage,$(CFLAGS)),,-DPC_CONFINE))
# Optimisation by the linker is for the program alone: it takes 5 seconds of CPU, and there are 150 tests and harnesses.
LTO      ?= $(if $(findstring clang,$(CC)),,-flto=auto)
FAT      := $(if $(LTO),$(LTO) -ffat-lto-objects)
NOLTO    := $(if $(LTO),-fno-lto)
# The map of folders: link-time optimisation names the folder of the build again.
LDHARDEN := $(if $(STATIC),-static-pie,-pie) -Wl,-z,relro,-z,now,-z,noexecstack -ffile-prefix-map=$(CURDIR)=.
# Functions of --symbols need libdw, which few machines have for others than themselves; libiberty demangles their names.
BINARIES := $(if $(STATIC)$(MSAN),,$(shell printf '\043include <elfutils/libdw.h>\nint main(void) { return dwarf_begin_elf(0, 0, 0) != 0; }\n' | \
            $(CC) -x c - -o /dev/null -ldw -lelf 2>/dev/null && echo -DPC_BINARIES))
DEMANGLE := $(if $(BINARIES),$(shell printf '\043include <libiberty/demangle.h>\nint main(void) { return cplus_demangle("", 0) != 0; }\n' | \
            $(CC) -x c - -o /dev/null -liberty 2>/dev/null && echo -DPC_DEMANGLE))
BINARIES := $(strip $(BINARIES) $(DEMANGLE))
LIBS     := -lxxhash -lzstd -pthread $(if $(BINARIES),-ldw -lelf) $(if $(DEMANGLE),-liberty)

SRC     := $(wildcard src/*/*.c)
OBJ     := $(SRC:src/%.c=$(B)/%.o)
LIBOBJ  := $(filter-out $(B)/cli/main.o,$(OBJ))
TESTSRC := $(wildcard tests/*/test_*.c)
TESTS   := $(TESTSRC:tests/%.c=$(B)/tests/%)
MODEL   := $(patsubst %.c,$(B)/%.o,$(filter-out tests/model/main.c,$(wildcard tests/model/*.c)))
GENERATOR := $(patsubst %.c,$(B)/%.o,$(wildcard tests/generate/*.c))
# MUTATOR: objects of the mutator with the functions that libFuzzer calls; MUTPARTS: the objects of this build without them.
MUTATOR  := $(patsubst %.c,%.o,$(filter-out fuzz/mutator_afl.c,$(wildcard fuzz/mutator*.c)))
MUTPARTS := $(addprefix $(B)/,$(filter-out fuzz/mutator_libfuzzer.o,$(MUTATOR)))
FUZZERS := $(patsubst fuzz/%.c,$(B)/%,$(wildcard fuzz/fuzz_*.c))

# SHARED: all of src as one library: a changed file costs one compile and one link (tools/mutate), and 150 test programs are
# quickly linked.
ifdef SHARED
HARDEN   := -fPIC -fno-semantic-interposition
LDHARDEN := -Wl,-rpath,$(CURDIR)/$(B)
OBJ      := $(B)/libperfcheck.so
LIBOBJ   := $(OBJ)
TESTLIB  := $(OBJ)
else
TESTLIB  := $(B)/tests.a
endif

.PHONY: all deps demo test inputs check faults test-faults asan units tsan msan valgrind cover cover-corpus flavoured lint src-objects mutate nightly bench bench-check clean \
        fuzz fuzz-plain afl fuzz-replay fuzzers
.SECONDARY:

all: perfcheck

perfcheck: $(B)/perfcheck
	@cp -f $< $@

$(B)/perfcheck: $(OBJ)
	@echo "  LD   $@"
	@$(CC) $(CFLAGS) $(LTO) $(EXTRA) $(LDHARDEN) -o $@ $^ $(LIBS)

$(B)/libperfcheck.so: $(SRC:src/%.c=$(B)/%.o)
	@echo "  LD   $@"
	@$(CC) $(CFLAGS) $(EXTRA) -shared -Wl,-soname,$(@F) -o $@ $^ $(LIBS)

# A perfcheck that reports which uses of finding ids it reached (tests/corpus/uses).
SEEN := pc_report_add pc_walk_init pc_check_kernel_record pc_check_user_record pc_check_feature pc_plan_run
$(B)/tests/corpus/uses.o: CFLAGS := -O1 -g
$(B)/perfcheck-uses: $(OBJ) $(B)/tests/corpus/uses.o
	@echo "  LD   $@"
	@$(CC) $(CFLAGS) $(NOLTO) $(EXTRA) $(LDHARDEN) $(SEEN:%=-Wl,--wrap=%) -o $@ $^ $(LIBS)

$(B)/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(STD) $(WARN) $(CFLAGS) $(SRCFLAGS) $(CONFINE) $(BINARIES) $(HARDEN) $(FORTIFY) $(FAT) $(EXTRA) -MMD -MP -c -o $@ $<

$(B)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(STD) -Itests -Ifuzz $(WARN) $(CFLAGS) $(QUICK) $(CONFINE) $(BINARIES) $(HARDEN) $(EXTRA) -MMD -MP -c -o $@ $<

# 200 programs without debug information are compiled and linked in half the time; the other flavours have it.
ifeq ($(FLAVOUR),plain)
QUICK := -O1 -g0
BARE  := -Wl,--strip-debug
endif

# A test program has only the objects that it needs of an archive: it is linked in half the time.
$(B)/tests.a: $(LIBOBJ)
	@rm -f $@
	@ar rcsT $@ $^

# What the tests of one subject share.
BENCHES := $(B)/tests/write/convert_bench.o $(B)/tests/bytes/sink_bench.o $(B)/tests/capture_bench.o
BUILD_CAPTURE := $(B)/fuzz/build_capture.o $(GENERATOR)
$(B)/tests/fuzz/test_build_capture $(B)/tests/fuzz/test_mutator: $(BUILD_CAPTURE)
$(B)/tests/fuzz/test_generate $(B)/tests/format/test_records: $(GENERATOR)
$(addprefix $(B)/tests/write/test_,content file pipe writer): $(GENERATOR)
$(filter $(B)/tests/check/% $(B)/tests/read/%,$(TESTS)): $(B)/tests/capture_bench.o
$(addprefix $(B)/tests/write/test_,content_base content_formats put repair repair_bits repair_desc repair_doubt repair_events repair_moved repair_records repair_sections repair_step repair_table repair_torn repair_words rotate): $(B)/tests/capture_bench.o
$(addprefix $(B)/tests/cli/test_,survey charts page plot trial): $(B)/tests/capture_bench.o
$(filter $(B)/tests/write/test_convert%,$(TESTS)): $(B)/tests/write/convert_bench.o $(GENERATOR)
$(filter $(B)/tests/bytes/test_sink% $(B)/tests/bytes/test_temporary,$(TESTS)): $(B)/tests/bytes/sink_bench.o
$(B)/tests/fuzz/test_mutator: $(B)/fuzz/harness.o $(MUTPARTS) $(B)/fuzz/mutator_afl.o
$(B)/tests/make_generated: $(B)/tests/make_generated.o $(BUILD_CAPTURE) $(LIBOBJ)
	@echo "  LD   $@"
	@$(CC) $(CFLAGS) $(NOLTO) $(EXTRA) $(LDHARDEN) -o $@ $^ $(LIBS)

# A library comes last: the linker takes from it only what the objects before it lack.
$(TESTS): %: %.o $(B)/tests/main.o $(TESTLIB)
	@echo "  LD   $@"
	@$(CC) $(CFLAGS) $(NOLTO) $(EXTRA) $(LDHARDEN) $(BARE) -o $@ $(filter %.o,$^) $(filter-out %.o,$^) $(LIBS) -lcmocka

# A harness with its engine: libFuzzer, AFL++, or the program that replays files. Coverage does not count the harnesses.
FUZZPARTS := $(B)/fuzz/harness.o $(BUILD_CAPTURE)
ENGINE    := $(B)/fuzz/standalone.o
LINK      := $(CC)

# `override`: flags of the command line win otherwise.
UNCOUNTED := $(filter-out -fsanitize=fuzzer-no-link -fno-sanitize-coverage=%,$(CFLAGS))
$(GENERATOR): override CFLAGS := $(UNCOUNTED)

$(B)/fuzz/%.o: fuzz/%.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(STD) -I. -Itests $(WARN) $(UNCOUNTED) $(HARDEN) $(EXTRA) -MMD -MP -c -o $@ $<

$(B)/fuzz_cli $(B)/fuzz_dir $(B)/fuzz_generate $(B)/fuzz_sinkfail: $(B)/fuzz/folder.o
$(B)/fuzz_cli: $(B)/fuzz/main.o $(B)/fuzz/calls.o
# System calls that go through fuzz/calls.c.
CALLS := malloc calloc open64 openat64 fstat64 stat64 fstatat64 read pread64 write pwrite64 fsync ftruncate64 lseek64 \
         renameat renameat2 linkat mkdirat fcntl64 fdopendir readdir64 copy_file_range getrandom isatty \
         clock_gettime pthread_create pthread_mutex_init pthread_cond_init
$(B)/fuzz_cli: WRAPPED += $(CALLS:%=-Wl,--wrap=%)
# Under AddressSanitizer fuzz/blocks.c allocates large blocks; fuzz_cli wraps some of the same calls.
ifdef BLOCKS
KEEPING := $(filter-out $(B)/fuzz_cli,$(FUZZERS))
$(KEEPING): $(B)/fuzz/blocks.o
$(KEEPING): WRAPPED += -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free
endif
# Under MemorySanitizer, calls of libraries that are not compiled for it go through fuzz/msan.c.
ifdef MSAN
$(FUZZERS): $(B)/fuzz/msan.o
WRAPPED += -Wl,--wrap=ZSTD_decompressStream -Wl,--wrap=ZSTD_compressStream2
endif
$(B)/fuzz_model_diff: $(MODEL)
$(B)/fuzz_swap: $(B)/fuzz/payloads.o
$(B)/fuzz_text: LIBS += -ljansson

# The second reader alone, for tests/model/compare.
$(B)/model: $(B)/tests/model/main.o $(MODEL)
	@echo "  LD   $@"
	@$(CC) $(CFLAGS) $(NOLTO) $(EXTRA) $(LDHARDEN) -o $@ $^ $(LIBS)

# The harness model_diff in a program that makes its inputs.
$(B)/model_mutants: $(B)/fuzz/model_mutants.o $(B)/fuzz/fuzz_model_diff.o $(MUTPARTS) \
                    $(MODEL) $(FUZZPARTS) $(LIBOBJ)
	@echo "  LD   $@"
	@$(CC) $(CFLAGS) $(NOLTO) $(EXTRA) $(LDHARDEN) -o $@ $^ $(LIBS)

$(B)/fuzz/main.o: src/cli/main.c
	@mkdir -p $(@D)
	@echo "  CC   $< for fuzz_cli"
	@$(CC) $(STD) $(CFLAGS) $(HARDEN) $(EXTRA) -Dmain=fuzz_main -MMD -MP -c -o $@ $<

$(B)/fuzz_%: $(B)/fuzz/fuzz_%.o $(FUZZPARTS) $(LIBOBJ) $(filter %.o,$(ENGINE))
	@echo "  LD   $@"
	@$(LINK) $(CFLAGS) $(NOLTO) $(EXTRA) $(LDHARDEN) $(BARE) $(WRAPPED) -o $@ $^ $(filter-out %.o,$(ENGINE)) $(LIBS)

# A program that needs no libraries: it runs on any Linux of this architecture.
.PHONY: static
static:
	@$(MAKE) --no-print-directory FLAVOUR=static STATIC=1 build/static/perfcheck

# Sources and such programs, for a release; packages for Debian. Both of HEAD.
.PHONY: dist deb
dist:
	@tools/dist

deb:
	@tools/make-deb

# --- the library: all of src but the program, for other programs. Only what perfcheck.h declares is visible in it. ---

DESTDIR ?=
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
VERSION := $(shell sed -n 's/^.define PERFCHECK_VERSION "\(.*\)"/\1/p' src/perfcheck.h)
SONAME  := libperfcheck.so.0
PIC     := build/lib
PICOBJ  := $(patsubst src/%.c,$(B)/%.o,$(filter-out src/cli/%,$(SRC)))
PICLIBS := -lxxhash -lzstd -pthread

.PHONY: lib man install uninstall

lib: $(PIC)/libperfcheck.a $(PIC)/$(SONAME) $(PIC)/perfcheck.pc

# One object, in which what other files of the library call is local: the names cannot clash with those of a program.
$(PIC)/libperfcheck.a: $(PICOBJ)
	@mkdir -p $(@D)
	@echo "  AR   $@"
	@rm -f $@
	@$(CC) $(CFLAGS) $(NOLTO) -r -nostdlib -o $(@:.a=.o) $^
	@$(OBJCOPY) --localize-hidden --remove-section='.gnu.*lto_*' --strip-symbol=__gnu_lto_v1 $(@:.a=.o)
	@ar rcs $@ $(@:.a=.o)

$(PIC)/$(SONAME): $(PICOBJ)
	@mkdir -p $(@D)
	@echo "  LD   $@"
	@$(CC) $(CFLAGS) $(NOLTO) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs,-z,relro,-z,now,-z,noexecstack -o $@ $^ $(PICLIBS)

# Always made again: it says where the others are installed.
.PHONY: $(PIC)/perfcheck.pc
$(PIC)/perfcheck.pc:
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$${prefix}/include' '' 'Name: perfcheck' \
	    'Description: Checks, reads and rewrites perf.data captures' 'Version: $(VERSION)' \
	    'Libs: -L$${libdir} -lperfcheck' 'Libs.private: $(PICLIBS)' 'Cflags: -I$${includedir}' >$@

# --- manual pages and the page of findings, each made of what is said elsewhere (tools/man/pages) ---

MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/perfcheck
# Seconds. Everything that has a date has this one: two builds of a commit are the same.
EPOCH   = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y src/perfcheck.h))

man: build/man/perfcheck.1 build/doc/findings.html

build/man/perfcheck.1: perfcheck $(wildcard tools/man/*) README.md src/CONTRACT.md src/format/FORMAT.md src/perfcheck.h \
                       tools/ci/perfcheck-ci tools/ci/perfcheck-parallel
	@echo "  MAN  $(@D)"
	@rm -rf $(@D)
	@tools/man/pages ./perfcheck $(@D) $$(date -u -d @$(EPOCH) +%F)

# One page of all findings, for a browser.
build/doc/findings.html: perfcheck tools/man/html
	@mkdir -p $(@D)
	@echo "  HTML $@"
	@tools/man/html ./perfcheck $@

# --- Tab in bash, zsh and fish ---

BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d

install: perfcheck lib man
	@install -D -m 755 perfcheck $(DESTDIR)$(PREFIX)/bin/perfcheck
	@install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin tools/ci/perfcheck-ci tools/ci/perfcheck-parallel
	@install -D -m 644 src/perfcheck.h $(DESTDIR)$(PREFIX)/include/perfcheck.h
	@install -D -m 644 $(PIC)/libperfcheck.a $(DESTDIR)$(LIBDIR)/libperfcheck.a
	@install -D -m 755 $(PIC)/$(SONAME) $(DESTDIR)$(LIBDIR)/$(SONAME)
	@ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libperfcheck.so
	@install -D -m 644 $(PIC)/perfcheck.pc $(DESTDIR)$(LIBDIR)/pkgconfig/perfcheck.pc
	@for page in build/man/*; do install -D -m 644 -t $(DESTDIR)$(MANDIR)/man$${page##*.} $$page; done
	@install -D -m 644 -t $(DESTDIR)$(DOCDIR) build/doc/findings.html
	@install -D -m 644 tools/completions/perfcheck.bash $(DESTDIR)$(BASHDIR)/perfcheck
	@install -D -m 644 -t $(DESTDIR)$(ZSHDIR) tools/completions/_perfcheck
	@install -D -m 644 -t $(DESTDIR)$(FISHDIR) tools/completions/perfcheck.fish
	@for name in perfcheck-ci perfcheck-parallel; do \
	    ln -sf perfcheck $(DESTDIR)$(BASHDIR)/$$name && ln -sf perfcheck.fish $(DESTDIR)$(FISHDIR)/$$name.fish || exit; done

uninstall:
	@rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/perfcheck bin/perfcheck-ci bin/perfcheck-parallel include/perfcheck.h) \
	    $(DESTDIR)$(LIBDIR)/libperfcheck.a $(DESTDIR)$(LIBDIR)/$(SONAME) $(DESTDIR)$(LIBDIR)/libperfcheck.so \
	    $(DESTDIR)$(LIBDIR)/pkgconfig/perfcheck.pc
	@rm -f $(addprefix $(DESTDIR)$(BASHDIR)/,perfcheck perfcheck-ci perfcheck-parallel) $(DESTDIR)$(ZSHDIR)/_perfcheck \
	    $(addprefix $(DESTDIR)$(FISHDIR)/,perfcheck.fish perfcheck-ci.fish perfcheck-parallel.fish)
	@rm -f $(addprefix $(DESTDIR)$(MANDIR)/,man1/perfcheck.1 man1/perfcheck-*.1 man3/libperfcheck.3 man5/perf.data.5 man5/perfcheck.toml.5 \
	    man7/perfcheck-findings.7) $(DESTDIR)$(DOCDIR)/findings.html

-include $(SRC:src/%.c=$(B)/%.d) $(TESTS:=.d) $(wildcard $(B)/fuzz/*.d $(B)/tests/*.d $(B)/tests/*/*.d)

# --- what a user types ---

# As many jobs as processors, if the user did not say how many.
JOBS = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

deps:
	@tools/install-deps build

demo: deps
	@$(MAKE) --no-print-directory $(JOBS) perfcheck
	@tools/demo

test:
	@tools/install-deps test
	@$(MAKE) --no-print-directory $(JOBS) check

# --- tests; tests/run adds up the results of all programs, and its last line is the sum ---

# Scripts, those first that take longest, so that no processor waits for another at the end.
OTHERS := "env EVERY=$(or $(EVERY),6) tests/test_replay $(B)" "tests/test_salvage ./perfcheck" "tests/test_rewrite ./perfcheck" \
          "tests/corpus/run_recipes --pairs ./perfcheck corpus/recipes" "tests/test_dump ./perfcheck" \
          "tests/test_policy ./perfcheck" "tests/test_cli ./perfcheck" "tests/test_report ./perfcheck" \
          "tests/test_size_wrapped ./perfcheck" "tests/test_simpleperf ./perfcheck" \
          "tests/test_injection --every=180 build/faults/perfcheck build/faults/preload.so" "tests/test_tools" \
          "tests/test_stream ./perfcheck" "tests/test_threads ./perfcheck" "tests/test_assemble" "tests/test_foreign ./perfcheck" "tests/native/run ./perfcheck" \
          "tests/test_bundle ./perfcheck" "tests/test_model $(B) 1200" "tests/test_library" "tests/test_forms ./perfcheck" \
          "tests/test_toml ./perfcheck" "tests/test_completions ./perfcheck" "tests/test_tables ./perfcheck" \
          "tests/test_rights ./perfcheck" "tests/test_causes ./perfcheck" "tests/test_package ./perfcheck" \
          "tests/test_outputs ./perfcheck" "tests/test_demands ./perfcheck" "tests/test_first_line ./perfcheck" \
          "tests/test_docs ./perfcheck" "tests/test_baseline ./perfcheck" "tests/test_ci ./perfcheck" "tests/test_hardening"

# What several tests read: the assembled recipes, and the seeds that are made of them.
inputs: build/inputs/made

build/inputs/made: tools/assemble tools/hand-seeds $(wildcard corpus/recipes/* corpus/real/*)
	@rm -rf $(@D)
	@mkdir -p $(@D)/captures
	@tools/assemble --all corpus/recipes $(@D)/recipes >/dev/null
	@tools/hand-seeds --made $(@D)/recipes $(@D)/seeds >/dev/null
	@mv $(@D)/recipes/*.data $(@D)/captures
	@touch $@

check: inputs perfcheck lib $(TESTS) $(FUZZERS) $(B)/model_mutants faults
	@tests/run $(OTHERS) $(TESTS)

# Without test_linear, which counts work, and the tests of the generator and the mutator, which the replay runs too. The slow
# tests make thousands of copies each; `make nightly` runs them in this build too.
SLOW_UNITS := $(patsubst %,tests/%.c,$(addprefix write/test_,rewrite_verify edits writer file pipe digest salvage_copy) check/test_scan)
SANITIZED := $(filter-out tests/whole/test_linear.c tests/fuzz/% $(SLOW_UNITS),$(TESTSRC))
SANITIZE := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# A smaller quarantine: with the default the kernel spends more time on freed pages than the tests take. `make nightly` runs the
# slowest scripts and the whole replay in this build too.
asan:
	@$(MAKE) --no-print-directory FLAVOUR=asan LTO= CFLAGS="$(SANITIZE)" TESTSRC="$(SANITIZED)" SHARED=1 units
	@ASAN_OPTIONS=quarantine_size_mb=8 EVERY=48 $(MAKE) --no-print-directory FLAVOUR=asan LTO= CFLAGS="$(SANITIZE)" \
	    TESTSRC="$(SANITIZED)" SLOW_SCRIPTS= flavoured

units: $(TESTS)

# Records are judged by two threads, read by some of them, and judged before their turn.
tsan: THREADED := $(addprefix build/tsan/tests/,check/test_judge check/test_workers read/test_ahead)
tsan:
	@$(MAKE) --no-print-directory FLAVOUR=tsan LTO= CFLAGS="-O1 -g -fsanitize=thread" $(THREADED)
	@for test in $(THREADED); do $$test || exit 1; done

# Only the unit tests: valgrind would not follow the programs that scripts run.
valgrind:
	@$(MAKE) --no-print-directory FLAVOUR=valgrind LTO= CFLAGS="-O1 -g" RUN="valgrind -q --error-exitcode=99" \
	    BY_SCRIPTS= flavoured

# All harnesses over the inputs of test_replay. EVERY=N: one recipe in N.
MEMORY := -O1 -g -fsanitize=memory -fno-sanitize-recover=all -fno-omit-frame-pointer -DXXH_INLINE_ALL -DFUZZ_MSAN

msan:
	@tools/install-deps all
	@$(MAKE) --no-print-directory FLAVOUR=msan LTO= CC=clang CFLAGS="$(MEMORY)" MSAN=1 fuzzers
	@tests/run "tests/test_replay build/msan"

.PHONY: uses
uses:
	@$(MAKE) --no-print-directory FLAVOUR=uses LTO= CFLAGS="-O0 -g -finstrument-functions" build/uses/perfcheck-uses

# The same tests as `make check`, in the build of the flavour. A colon is a space in the names of commands.
# PART=K/N: every N-th of the unit tests and every N-th of the scripts, from the K-th on. The replay has the recipes; what dump
# prints of them is tested in the plain build.
SLOW_SCRIPTS = tests/test_rewrite:$(B)/perfcheck tests/test_salvage:$(B)/perfcheck tests/test_size_wrapped:$(B)/perfcheck \
    tests/test_cli:$(B)/perfcheck tests/test_foreign:$(B)/perfcheck tests/native/run:$(B)/perfcheck tests/test_bundle:$(B)/perfcheck tests/test_stream:$(B)/perfcheck
BY_SCRIPTS = tests/test_outputs:$(B)/perfcheck tests/test_causes:$(B)/perfcheck \
    tests/test_replay:$(B) $(SLOW_SCRIPTS)

choose = $(if $(PART),$(shell printf '%s\n' $(1) | awk -v part=$(PART) 'BEGIN { split(part, p, "/") } NR % p[2] == p[1] % p[2]'),$(1))
CHOSEN = $(call choose,$(TESTS))
SCRIPTS = $(call choose,$(BY_SCRIPTS))

flavoured: inputs $(B)/perfcheck $(CHOSEN) $(if $(filter tests/test_replay%,$(SCRIPTS)),$(FUZZERS))
	@tests/run $(foreach t,$(SCRIPTS),"$(subst :, ,$(t))") $(foreach t,$(CHOSEN),"$(RUN) $(t)")

# --- faults: calls of the C library and of the system fail, one in each run; EVERY=N: one call in N ---

# Without optimisation each call in the source is one in the program. EVERY=N: only one call in N.
faults:
	@$(MAKE) --no-print-directory FLAVOUR=faults LTO= CFLAGS="-O0 -g" build/faults/perfcheck build/faults/preload.so

test-faults: perfcheck faults
	@tests/test_injection $(if $(EVERY),--every=$(EVERY)) build/faults/perfcheck build/faults/preload.so

$(B)/preload.so: tests/injection/preload.c
	@mkdir -p $(@D)
	@echo "  LD   $@"
	@$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -O1 -g -fPIC -shared -o $@ $< -pthread

# --- fuzzing: one program for each harness in build/FLAVOUR; libFuzzer with sanitizers and without, AFL++, replay ---

# The mutator knows the fields, so tracing comparisons and calls gains nothing, and costs a third of the executions.
COUNTERS := -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp,indirect-calls,stack-depth

fuzz:
	@tools/install-deps fuzz
	@$(MAKE) --no-print-directory FLAVOUR=fuzz LTO= CC=clang CFLAGS="$(SANITIZE) -O2 $(COUNTERS)" BLOCKS=1 \
	    ENGINE="-fsanitize=fuzzer $(MUTATOR:%=build/fuzz/%)" fuzzers

fuzz-plain:
	@tools/install-deps fuzz
	@$(MAKE) --no-print-directory FLAVOUR=fuzz-plain LTO= CC=clang CFLAGS="-O3 -g $(COUNTERS)" \
	    ENGINE="-fsanitize=fuzzer $(MUTATOR:%=build/fuzz-plain/%)" fuzzers

# The driver of AFL++ 4.04 does not use a mutator that is linked in: AFL_CUSTOM_MUTATOR_LIBRARY=build/afl-mutator/mutator.so
afl:
	@tools/install-deps fuzz
	@$(MAKE) --no-print-directory FLAVOUR=afl LTO= CC=afl-clang-fast CFLAGS="-O2 -g" ENGINE=-fsanitize=fuzzer fuzzers
	@$(MAKE) --no-print-directory FLAVOUR=afl-mutator LTO= EXTRA=-fPIC build/afl-mutator/mutator.so

$(B)/mutator.so: $(MUTPARTS) $(B)/fuzz/mutator_afl.o $(FUZZPARTS) $(LIBOBJ)
	@echo "  LD   $@"
	@$(CC) $(CFLAGS) -shared -o $@ $^ $(LIBS)

# Works with any compiler; tools/replay-foreign does it for s390x and i386.
fuzz-replay:
	@tools/install-deps build
	@$(MAKE) --no-print-directory FLAVOUR=$(if $(filter plain,$(FLAVOUR)),replay,$(FLAVOUR)) fuzzers

fuzzers: $(FUZZERS)

# --- coverage of src by `make check`; asserts do not count as branches ---

MEASURED := -O0 -g --coverage -DPC_INLINE='static inline'

GCOVR = gcovr --root . --filter src/ --exclude-unreachable-branches \
        --exclude-branches-by-pattern '.*\bassert\(.*' build/cover

cover:
	@tools/install-deps all
	@find build/cover -name "*.gcda" -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory FLAVOUR=cover LTO= CFLAGS="$(MEASURED)" flavoured
	@$(GCOVR) --branches --txt build/cover/branches.txt
	@$(GCOVR) --txt - --print-summary

# Coverage by replaying the corpus through all harnesses.
cover-corpus:
	@tools/install-deps all
	@find build/cover-corpus -name "*.gcda" -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory FLAVOUR=cover-corpus LTO= CFLAGS="$(MEASURED)" fuzzers
	@tests/test_replay build/cover-corpus
	@$(GCOVR)-corpus --branches --txt build/cover-corpus/branches.txt
	@$(GCOVR)-corpus --txt - --print-summary

# --- lint: warnings are errors with two compilers, then the static analysers ---

# Not valist.*: in clang 14 its names outlive the file, so with several files in a process it sees va_start in other calls, at random.
TIDY := clang-diagnostic-*,bugprone-*,cert-*,clang-analyzer-*,performance-*,-bugprone-easily-swappable-parameters,-cert-err33-c,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-bugprone-assignment-in-if-condition,-cert-dcl37-c,-cert-dcl51-cpp,-bugprone-reserved-identifier,-bugprone-sizeof-expression,-clang-analyzer-valist.*,-clang-analyzer-optin.performance.Padding

LOOKED := $(filter-out tests/native/%,$(wildcard tests/*.c tests/*/*.c fuzz/*.c))
LOOK = xargs -P $$(nproc) -n 12 $(1) -fsyntax-only -Werror $(STD) -I. -Itests -Ifuzz $(WARN)
# The analyser of clang has a deep mode that takes five times as long; clang's warnings of tests and cppcheck come with it: make
# lint MODE=deep.
MODE ?= shallow

# gcc looks at everything; the analysers see src alone.
lint:
	@tools/install-deps lint
	@tools/check-floors
	@tests/corpus/rows
	@printf '%s\n' src/*.h src/*/*.[ch] tools/examples/*.c tests/*.[ch] tests/*/*.[ch] fuzz/*.[ch] | \
	    xargs -P $$(nproc) -n 40 clang-format --dry-run --Werror
	@printf '%s\n' $(filter-out fuzz/msan.c,$(LOOKED)) | $(call LOOK,gcc)
	@[ "$(MODE)" != deep ] || printf '%s\n' $(LOOKED) | $(call LOOK,clang) -Wno-gnu-folding-constant
	@$(MAKE) --no-print-directory FLAVOUR=lint-gcc LTO= CC=gcc CFLAGS="-O2 -Werror" SRCFLAGS="-fanalyzer $(SMALL_FRAMES)" src-objects
	@tools/check-floors build/lint-gcc
	@printf '%s\n' $(SRC) | xargs -P $$(nproc) -n 4 sh -c \
	    "clang-tidy --quiet --warnings-as-errors='*' --checks='-*,$(TIDY)' \"\$$@\" -- \
	    $(STD) $(WARN) $(CONFINE) $(BINARIES) -Xclang -analyzer-config -Xclang mode=$(MODE) 2>/dev/null" tidy
	@[ "$(MODE)" != deep ] || cppcheck -j $$(nproc) --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	    --error-exitcode=1 --suppress=missingIncludeSystem -Isrc src
	@echo "lint: clean"

src-objects: $(OBJ)

# Tests that take too long for CI. MINUTES=M: begins no step after M minutes; the next run continues.
nightly:
	@tools/install-deps all
	@tools/nightly $(if $(MINUTES),--minutes=$(MINUTES))

# Puts N random mistakes into src, one at a time, and prints which the tests did not notice. A report, no gate.
N ?= 20
mutate:
	@tools/install-deps all
	@tools/mutate -n $(N)

bench: perfcheck
	@tools/bench

# Instructions for each record, compared with tests/bench.expected: more than 3 % above it fails.
bench-check:
	@tools/install-deps all
	@$(MAKE) --no-print-directory perfcheck
	@tools/bench-check

clean:
	rm -rf build perfcheck
