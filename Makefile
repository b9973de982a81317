# parplan: one non-recursive Makefile. `make help` lists the targets.
NAME   := parplan
MODE   ?= release
# CGRAPH=no leaves Graphviz's cgraph out: no .dot, .png and .pdf.
CGRAPH ?= yes
# CROSS=aarch64-linux-gnu builds for another machine, with that compiler and libraries of Debian's multiarch.
CROSS  ?=
B      := build/$(MODE)$(if $(filter no,$(CGRAPH)),-without-cgraph)$(CROSS:%=-%)
Q      := $(if $(V),,@)
PREFIX ?= /usr/local
bindir  = $(DESTDIR)$(PREFIX)/bin
datadir = $(DESTDIR)$(PREFIX)/share

# `make check UPDATE=1` rewrites expected outputs.
UPDATE ?=
export UPDATE

# What follows `setup` on one command line is read again by a second make once the packages are there:
# pkg-config below is asked while this file is read.
SETUPS := setup setup-dev
.PHONY: $(SETUPS) installed
ifneq ($(filter $(SETUPS),$(MAKECMDGOALS)),)
GOALS := $(filter-out $(SETUPS),$(MAKECMDGOALS))
.PHONY: $(GOALS)
setup:                                                   ## install the packages that building and checking need
	@tests/setup build
setup-dev:                                               ## and those that lint, fuzz, cov and bench need
	@tests/setup build dev
installed: $(filter $(SETUPS),$(MAKECMDGOALS))
	+@$(if $(GOALS),$(MAKE) --no-print-directory $(GOALS),:)
$(GOALS): installed ; @:
else

PKG_CONFIG := $(if $(CROSS),PKG_CONFIG_LIBDIR=/usr/lib/$(CROSS)/pkgconfig:/usr/share/pkgconfig )pkg-config
STRIP := strip
ifneq ($(CROSS),)
CC    := $(CROSS)-gcc
CXX   := $(CROSS)-g++
AR    := $(CROSS)-ar
STRIP := $(CROSS)-strip
endif
PKGS := yaml-0.1 libpcre2-8 $(if $(filter yes,$(CGRAPH)),libcgraph)
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 \
        -Wundef -Wimplicit-fallthrough -Wdouble-promotion -Wvla
WARN_C := -Wstrict-prototypes -Wmissing-prototypes
HARD := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection -fPIE
# Control-flow enforcement, which x86-64 has. There a char is signed, which it need not be elsewhere.
X86  := $(filter x86_64-%,$(shell $(CC) -dumpmachine))
HARD += $(if $(X86),-fcf-protection)
SIGNED := $(if $(X86),,-fsigned-char)
# Sanitizers, coverage and valgrind write files and start programs of their own.
NO_SANDBOX := -DSANDBOX=0
# Calls of the math library set no errno that anybody reads.
mode_release := -O3 -fno-math-errno -g $(HARD)
mode_asan    := $(NO_SANDBOX) -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
mode_torture := $(mode_asan) -DARENA_CHUNK=64
mode_debug   := $(NO_SANDBOX) -Og -g3
# For what it warns of: nobody runs it.
mode_clang   := -O0
mode_cov     := $(NO_SANDBOX) -O0 -g --coverage
mode_fuzz    := $(NO_SANDBOX) -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr,function -fno-sanitize-recover=all
# An error's first report ends the program, and what is handed to a function or back must be written, too.
mode_msan    := $(NO_SANDBOX) -O1 -g1 -fPIE -fsanitize=memory -fsanitize-memory-track-origins -fsanitize-memory-param-retval \
                -fno-omit-frame-pointer
link_release := -pie -Wl,-z,relro,-z,now
# A sanitized program that need not be relocated starts in two thirds of the time.
link_asan    := -fsanitize=address,undefined -no-pie
link_torture := $(link_asan)
link_cov     := --coverage
link_fuzz    := -fsanitize=address,undefined
link_msan    := -pie -fsanitize=memory -Wl,--wrap=fts_open,--wrap=fts_read tests/msan/libc.c
ifneq ($(filter fuzz clang msan,$(MODE)),)
CC  := clang
CXX := clang++
endif
# Under MSan the libraries are made here, too, and the strings of C++, which are not taken from its library then.
ifeq ($(MODE),msan)
PKG_CFLAGS := -I$(B)/libraries/include
PKG_LIBS   := $(patsubst %,$(B)/libraries/lib%.a,yaml pcre2-8 cgraph)
cxx_msan   := -D_GLIBCXX_ASSERTIONS -fsanitize-ignorelist=tests/msan/ignored
endif
# CFLAGS and LDFLAGS are the user's; the mode's own flags are always there.
all_cppflags = -Isrc -I$(B)/gen -isystem $(B)/gen/system -D_POSIX_C_SOURCE=200809L $(CPPFLAGS)
all_cflags   = $(WARN) $(if $(WERROR),-Werror) -ffile-prefix-map=$(CURDIR)=. -ffp-contract=off $(SIGNED) $(PKG_CFLAGS) $(mode_$(MODE)) $(CFLAGS)
compile_c    = $(CC) $(all_cppflags) -std=c11 $(WARN_C) $(all_cflags) -MMD -MP
compile_cxx  = $(CXX) $(all_cppflags) -std=c++17 $(cxx_$(MODE)) $(all_cflags) -MMD -MP
link         = $(CC) $(link_$(MODE)) $(LDFLAGS)
# libstdc++ and libgcc are linked statically: loading them costs a third of the start-up time.
LIBS         = $(PKG_LIBS) -static-libgcc -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -lm

left_out_yes := src/draw/no_cgraph.c
left_out_no  := src/draw/dot.c src/draw/graphviz.c
# A browser has neither other programs nor folders to walk: docs/playground/browser.c says so.
left_out_wasm := src/base/process.c src/base/tree.c
SRC  := $(filter-out src/cuda/% $(left_out_$(CGRAPH)) $(left_out_$(MODE)),$(sort $(shell find src -name '*.c')))
CXXSRC := $(sort $(shell find src -name '*.cc'))
MAIN := src/cli/main.c
# Tables of numbers: a list of keys, and presets sorted by name.
presets_of = $(addsuffix .yaml,$(sort $(basename $(wildcard $(patsubst %,src/presets/%/*.yaml,$(1))))))
TABLES := preset_models preset_profiles
table_preset_models   := src/input/fields.def $(call presets_of,models)
table_preset_profiles := src/cost/figures.def $(call presets_of,costs fabrics generations gpus)
OBJ  := $(patsubst src/%.c,$(B)/%.o,$(filter-out $(MAIN),$(SRC))) $(patsubst src/%.cc,$(B)/%.o,$(CXXSRC)) \
        $(patsubst %,$(B)/gen/%.o,presets $(TABLES))
LIB  := $(B)/lib$(NAME).a
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(sort $(shell find tests/unit -mindepth 2 -name '*.c' 2>/dev/null)))
# The rules' firing examples are what parplan explain RULE shows.
PRESETS := $(sort $(wildcard $(addprefix src/presets/,models/*.yaml guard/*.py report/*.css report/*.js))) \
           $(sort $(filter-out %.ok.yaml %.ok.toml,$(wildcard testdata/rules/*.yaml testdata/rules/*.toml)))

# Extension points: the list of rows is the folder's listing.
names = $(sort $(basename $(notdir $(wildcard $(1)))))
LISTS := dialects launch_forms training_logs exceptions frameworks timelines rulesets known formats targets figures collectives schedules sources commands wings requests units
# A wing may have several files of its framework's: rows are what they define.
defined = $(sort $(shell sed -n 's/^const struct $(1) $(1)_\([a-z0-9_]*\) = .*/\1/p' $(wildcard $(2))))
list_dialects   := $(call defined,dialect,src/input/dialects/*.c src/wings/*/*.c)
list_launch_forms := $(call defined,launch_form,src/wings/*/*.c)
list_training_logs := $(call defined,training_log,src/wings/*/*.c)
list_frameworks := $(call defined,framework,src/wings/*/*.c)
list_timelines  := $(call defined,timeline,src/wings/*/*.c)
list_exceptions := $(call defined,exceptions,src/framework/*/*.c src/wings/*/*.c)
list_wings      := $(call defined,wing,src/wings/*/*.c)
list_rulesets   := $(call names,src/rules/sets/*.c)
list_known      := $(call names,src/rules/known/*.c)
list_formats    := $(call names,src/report/formats/*.c)
list_targets    := $(call defined,target,src/wings/*/*.c)
list_requests   := $(call names,src/lsp/requests/*.c)
list_figures    := $(call names,src/draw/figures/*.c)
list_collectives := $(call names,src/cost/collectives/*.c)
list_schedules  := $(call names,src/sim/schedules/*.c)
list_sources    := $(call names,src/evidence/sources/*.c)
list_units      := $(subst /,_,$(UNIT:$(B)/unit/%=%))
list_commands   := $(call names,src/cli/commands/*.c)
GEN := $(LISTS:%=$(B)/gen/%.inc) $(B)/gen/version.h
# A source tarball has the file VERSION, with the time of its commit on the second line; a checkout has neither.
VERSION := $(shell head -n 1 VERSION 2>/dev/null || git describe --tags --always --dirty 2>/dev/null || echo unknown)
DATE := $(or $(SOURCE_DATE_EPOCH),$(shell sed -n 2p VERSION 2>/dev/null || git log -1 --format=%ct 2>/dev/null || echo 0))

FUZZERS := $(or $(TARGET),$(basename $(notdir $(sort $(wildcard tests/fuzz/*.c)))))
SUITES  := $(filter-out acceptance,$(basename $(notdir $(sort $(wildcard tests/*.sh)))))

.PHONY: all check check-editors check-slurm acceptance accuracy fit oracle golden mutate asan torture valgrind msan cov coverage fuzz fuzz-long fuzz-replay replay bench bench-growth lint \
        format format-check docs demo install uninstall static dist dist-source dist-binary dist-sums sdist metadata wheel check-wheel deb clean help units fuzzers replayers FORCE
all: $(B)/$(NAME)                                        ## build build/release/parplan
units: $(UNIT) $(B)/serve $(B)/judge

$(B)/$(NAME): $(B)/cli/main.o $(LIB)
	$(Q)echo '  LD  $@'; $(link) -o $@ $^ $(LIBS)
$(LIB): $(OBJ)
	$(Q)rm -f $@; $(AR) rcs $@ $^
# Unit programs are one, which each of them is a link to: linking is what takes the time.
$(B)/unit/%.o: tests/unit/%.c | $(GEN)
	$(Q)echo '  CC  $<'; mkdir -p $(@D); $(compile_c) -Wno-missing-prototypes -Itests -Dmain=unit_$(subst /,_,$*) -c -o $@ $<
$(B)/unit/main.o: tests/unit/main.c $(B)/gen/units.inc
	$(Q)echo '  CC  $<'; mkdir -p $(@D); $(compile_c) -c -o $@ $<
$(B)/units: $(B)/unit/main.o $(UNIT:=.o) $(LIB)
	$(Q)echo '  LD  $@'; $(link) -o $@ $^ -lcmocka $(LIBS)
$(UNIT): $(B)/units
	$(Q)ln -srf $< $@
# What suites ask instead of starting parplan thousands of times.
$(B)/serve: tests/serve/main.c src/cli/main.c $(LIB)
	$(Q)echo '  CC  $<'; $(compile_c) $(link_$(MODE)) $(LDFLAGS) -o $@ $< $(LIB) $(LIBS)
# What judges rule files, mistakes, examples and broken files, all of them in one process.
$(B)/judge: $(wildcard tests/judge/*.c) tests/judge/judge.h $(LIB)
	$(Q)echo '  CC  $@'; $(filter-out -MMD -MP,$(compile_c)) $(link_$(MODE)) $(LDFLAGS) -o $@ $(filter %.c,$^) $(LIB) $(LIBS)
$(B)/%.o: src/%.c | $(GEN)
	$(Q)echo '  CC  $<'; mkdir -p $(@D); $(compile_c) -c -o $@ $<
$(B)/%.o: src/%.cc | $(GEN)
	$(Q)echo '  CXX $<'; mkdir -p $(@D); $(compile_cxx) -c -o $@ $<
$(B)/gen/%.o: $(B)/gen/%.c
	$(Q)$(compile_c) -c -o $@ $<

# Generated files are replaced only when they change.
replace = cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(B)/gen/version.h: FORCE
	@mkdir -p $(@D); printf '#define VERSION "%s"\n#define BUILD_MODE "%s"\n' '$(VERSION)' '$(MODE)' >$@.new; $(replace)
$(LISTS:%=$(B)/gen/%.inc): $(B)/gen/%.inc: FORCE
	@mkdir -p $(@D); printf '%s' '$(patsubst %,X(%),$(list_$*))' | tr ' ' '\n' >$@.new; echo >>$@.new; $(replace)
# Which rows of fields.def a source names; its object is made again when one of their numbers changes.
$(B)/gen/fields.d: src/input/fields.awk src/input/fields.def $(filter-out src/cuda/%,$(SRC)) \
                   $(UNIT:$(B)/%=tests/%.c)
	@mkdir -p $(B)/gen/system $(B)/gen/field; LC_ALL=C awk -v build=$(B) -f $< $(filter-out $<,$^) >$@.new && mv $@.new $@
$(B)/gen/presets.c: $(PRESETS) src/presets/embed.awk
	@mkdir -p $(@D); LC_ALL=C awk -f src/presets/embed.awk $(PRESETS) >$@.new; $(replace); touch $@
$(B)/gen/preset_models.c: $(table_preset_models)
$(B)/gen/preset_profiles.c: $(table_preset_profiles)
$(TABLES:%=$(B)/gen/%.c): $(B)/gen/%.c: src/presets/table.awk
	@mkdir -p $(@D); LC_ALL=C awk -f src/presets/table.awk $(table_$*) >$@.new && { $(replace); touch $@; }

build/compile_commands.json: Makefile $(SRC) $(CXXSRC)
	@mkdir -p $(@D); { sep='['; \
	for f in $(SRC); do printf '%s\n{"directory":"%s","file":"%s","command":"%s"}' "$$sep" '$(CURDIR)' "$$f" \
	  "$(CC) $(all_cppflags) -std=c11 $(WARN_C) $(all_cflags) -c $$f"; sep=','; done; \
	for f in $(CXXSRC); do printf '%s\n{"directory":"%s","file":"%s","command":"%s"}' "$$sep" '$(CURDIR)' "$$f" \
	  "$(CXX) $(all_cppflags) -std=c++17 $(all_cflags) -c $$f"; sep=','; done; echo ']'; } >$@

# Tests. A suite is tests/NAME.sh; `tests/run BUILD [SUITE...]` runs some of them.
check: all units                                         ## every test suite; UPDATE=1 rewrites expected outputs
	@tests/run $(B)
check-editors: all                                       ## taplo, yaml-language-server, Neovim and VS Code's vsce themselves; needs npm and the network
	@tests/editors/run $(B)
check-slurm: all                                        ## docs/search.md's job array under a real Slurm; needs its daemons, as root
	$(Q)tests/slurm/run $(B)
golden: all                                              ## rewrite expected outputs; read the diff before committing
	@UPDATE=1 tests/run $(B) golden docs; git --no-pager diff --stat -- tests/golden testdata docs README.md
acceptance: all                                          ## the reference vectors, where they lie beside the checkout
	@tests/run $(B) acceptance
accuracy: all                                            ## how near forecasts come to measurements, where those lie beside
	@BIN=$(B)/$(NAME) tests/bench/accuracy
oracle: all $(B)/serve                                   ## ask the real libraries again what is kept under testdata/oracle: OF=torch RELEASE=2.8.0
	@BIN=$(B)/$(NAME) tests/oracle/run --again $(if $(OF),--of $(OF)) $(if $(RELEASE),--version $(RELEASE))
fit: all                                                 ## fit the constants of step time to measured runs; WRITE=1 keeps what came out
	@BIN=$(B)/$(NAME) tests/bench/fit
sanitized := $(filter-out adding completion cuda docs gates install recipes simgrid wheel,$(SUITES))
asan:                                                    ## the tests under address and undefined-behaviour sanitizers
	+@$(MAKE) --no-print-directory MODE=asan WERROR=1 all units && LIMIT=3600 tests/run build/asan $(sanitized)
torture:                                                 ## the same with arena chunks of 64 bytes
	+@$(MAKE) --no-print-directory MODE=torture WERROR=1 all units && LIMIT=3600 tests/run build/torture $(sanitized)
valgrind:                                                ## golden, syntax and rule files under valgrind (slow)
	+@$(MAKE) --no-print-directory MODE=debug all units && tests/valgrind build/debug
msan:                                                    ## every command over plans and testdata under MemorySanitizer, slow; libraries are built of SOURCES=build/msan/sources
	+@tests/msan/libraries build/msan/libraries '$(or $(SOURCES),build/msan/sources)' $(filter -O% -g% -f%,$(mode_msan)) && \
	  $(MAKE) --no-print-directory MODE=msan WERROR=1 all replayers build/msan/serve build/msan/judge && tests/msan/run build/msan
cov coverage:                                            ## line coverage of src by the tests
	+@$(MAKE) --no-print-directory MODE=cov all units && find build/cov -name '*.gcda' -delete
	@tests/run build/cov $(sanitized)
	@gcovr --root . --filter src/ --exclude-unreachable-branches build/cov

mutate:                                                  ## which tests notice wrong sources: SEED=1 COUNT=100, QUICK=1
	@tests/mutate/run --seed $(or $(SEED),1) --count $(or $(COUNT),100) $(if $(QUICK),--quick)

# Fuzzing. tests/fuzz/NAME.c defines LLVMFuzzerTestOneInput; testdata/fuzz/NAME holds its seeds.
fuzz:                                                    ## SECONDS=60 of libFuzzer per target, or on TARGET=NAME
	+@$(MAKE) --no-print-directory MODE=fuzz TARGET=$(TARGET) fuzzers
	@tests/fuzz/run $(or $(SECONDS),60) $(FUZZERS)
fuzz-long:                                               ## MINUTES=60 over all targets, going on where it stopped before
	+@$(MAKE) --no-print-directory MODE=fuzz TARGET=$(TARGET) fuzzers
	@tests/fuzz/long $(or $(MINUTES),60) $(FUZZERS)
# The program as a whole ends in the middle: what it holds then is known by whom it asked.
link_cli := -Wl,--wrap=malloc,--wrap=realloc,--wrap=free
fuzzers: $(FUZZERS:%=$(B)/fuzz/%)
$(B)/fuzz/%: tests/fuzz/%.c $(LIB)
	$(Q)echo '  CC  $<'; mkdir -p $(@D); $(compile_c) -Itests -fsanitize=fuzzer $(link_$(MODE)) $(link_$*) $(LDFLAGS) -o $@ $< $(LIB) $(LIBS)
fuzz-replay:                                             ## the seeds once through each fuzz target, under the sanitizers
	+@$(MAKE) --no-print-directory MODE=asan replayers
	@tests/fuzz/replay build/asan/replay $(FUZZERS)
replayers: $(FUZZERS:%=$(B)/replay/%)
$(B)/replay/%: tests/fuzz/%.c tests/fuzz/driver/main.c $(LIB)
	$(Q)echo '  CC  $<'; mkdir -p $(@D); $(compile_c) -Itests $(link_$(MODE)) $(link_$*) $(LDFLAGS) -o $@ $< tests/fuzz/driver/main.c $(LIB) $(LIBS)

# The benchmark of CUDA devices, which nothing else needs: src/cuda/rules.mk.
cuda:                                                    ## build/cuda/parplan-cudabench, where the CUDA toolkit is
include src/cuda/rules.mk

# The page that runs in a browser, which nothing else needs: docs/playground/rules.mk.
playground:                                              ## build/playground/index.html: parplan as one page, where emscripten is
check-playground:                                        ## the page in headless Chromium, and that it says what parplan says
include docs/playground/rules.mk

bench: all                                               ## measured times beside the targets; never fails
	@BIN=$(B)/$(NAME) tests/bench/run
bench-growth: all                                        ## time and memory of hostile inputs, by size; never fails
	@tests/bench/growth $(B)

# Static checks.
HEADERS := $(sort $(shell find src tests -name '*.h'))
FORMATTED = $(SRC) $(HEADERS) $(sort $(shell find tests src/cuda docs/playground -name '*.c' -o -name '*.cu'))
SCRIPTS = $(sort $(wildcard tests/*.sh tests/gates/*.sh) $(shell grep -lE '^#!/bin/(ba)?sh' tests/* tests/*/* .ci/* .github/*/* .github/*/*/* docs/packaging/* docs/playground/* 2>/dev/null))
# A file is looked at again when it or a header of its own changed. QUICK=1: without
# the path-sensitive analyser, which takes nine tenths of the time.
TIDY_ARGS := $(if $(QUICK),--checks=-clang-analyzer-*)
TIDY := $(SRC:src/%.c=build/tidy/%.ok)
build/tidy/%.ok: src/%.c $(B)/%.o .clang-tidy | build/compile_commands.json
	$(Q)echo '  TIDY $<'; mkdir -p $(@D); clang-tidy -quiet -p build $(TIDY_ARGS) --warnings-as-errors='*' $< 2>/dev/null && touch $@
lint: all format-check $(TIDY)                              ## cppcheck, clang-tidy, shellcheck, codespell, gates
	$(Q)cppcheck -q -j2 --std=c11 --enable=warning,performance,portability --error-exitcode=1 --inline-suppr \
	  --suppress=unknownMacro --suppress=nullPointerRedundantCheck -Isrc -I$(B)/gen $(SRC)
	$(Q)shellcheck -x $(SCRIPTS)
	$(Q)codespell -q3 --ignore-words=tests/lint/words src docs tests plans README.md Makefile
	$(Q)tests/lint/lengths
	$(Q)tests/run $(B) gates
format:                                                  ## clang-format over the C sources
	$(Q)clang-format -i $(FORMATTED)
format-check:
	$(Q)clang-format --dry-run -Werror $(FORMATTED)

# Documents and installation.
MANUALS := parplan.1 parplan.5 parplan-rules.7
SHELLS  := bash zsh fish
docs: $(MANUALS:%=build/man/%) $(SHELLS:%=build/completion/%)  ## manual pages, completions and generated documents
	@UPDATE=1 tests/run $(B) docs rules
# A line @PART@ of a page stands for what `parplan man PART` prints.
build/man/%: docs/man/%.scd $(B)/$(NAME)
	@mkdir -p $(@D); awk -v p=$(B)/$(NAME) '/^@[a-z]*@$$/ { gsub("@", ""); part = p " man " $$0; \
	  while ((part | getline line) > 0) print line; next } { print }' $< >$@.scd
	@SOURCE_DATE_EPOCH=$(DATE) scdoc <$@.scd >$@.new && mv $@.new $@
build/completion/%: $(B)/$(NAME)
	@mkdir -p $(@D); $(B)/$(NAME) completion $* >$@.new && mv $@.new $@
PROGRAM ?= $(B)/$(NAME)
demo: all                                                ## the main job on two example configs
	@tests/demo $(B)
install: all $(MANUALS:%=build/man/%) $(SHELLS:%=build/completion/%)  ## into DESTDIR and PREFIX
	install -D $(PROGRAM) $(bindir)/$(NAME)
	for m in $(MANUALS); do install -D -m644 build/man/$$m $(datadir)/man/man$${m##*.}/$$m || exit; done
	install -D -m644 build/completion/bash $(datadir)/bash-completion/completions/$(NAME)
	install -D -m644 build/completion/zsh $(datadir)/zsh/site-functions/_$(NAME)
	install -D -m644 build/completion/fish $(datadir)/fish/vendor_completions.d/$(NAME).fish
	mkdir -p $(datadir)/doc/$(NAME)
	cp -r LICENSE README.md docs/packaging/notices plans $(datadir)/doc/$(NAME)/
	mkdir -p $(datadir)/doc/$(NAME)/docs
	cp -r docs/*.md docs/images docs/schemas $(datadir)/doc/$(NAME)/docs/
	chmod -R u=rwX,go=rX $(datadir)/doc/$(NAME)
uninstall:                                               ## remove what install put there
	rm -f $(bindir)/$(NAME) $(foreach m,$(MANUALS),$(datadir)/man/man$(patsubst .%,%,$(suffix $m))/$m) \
	  $(datadir)/bash-completion/completions/$(NAME) $(datadir)/zsh/site-functions/_$(NAME) \
	  $(datadir)/fish/vendor_completions.d/$(NAME).fish
	rm -rf $(datadir)/doc/$(NAME)

# What is handed to others. One commit gives the same bytes, whoever makes them.
static: $(B)/static/$(NAME)                              ## build/release/static/parplan needs no libraries, and draws no .dot
$(B)/static/$(NAME): $(B)/cli/main.o $(filter-out $(left_out_no:src/%.c=$(B)/%.o),$(OBJ)) $(left_out_yes:src/%.c=$(B)/%.o)
	$(Q)echo '  LD  $@'; mkdir -p $(@D); $(CC) -static-pie -Wl,-z,relro,-z,now $(LDFLAGS) -o $@ $(sort $^) \
	  $(shell $(PKG_CONFIG) --static --libs yaml-0.1 libpcre2-8 2>/dev/null) -lstdc++ -lm
RELEASE = $(NAME)-$(patsubst v%,%,$(VERSION))
PLATFORM = $(shell uname -s -m | tr 'A-Z ' 'a-z-')
dist: dist-source dist-binary wheel                      ## tarballs of the sources and of a static program, a wheel, their checksums and contents, in build/dist
	+@$(MAKE) --no-print-directory VERSION='$(VERSION)' dist-sums
# Of what lies there: what it is made of (SPDX), and the checksums of all.
dist-sums:
	@cd build/dist && set -- $(RELEASE)*.tar.gz $$(ls $(NAME)-'$(PYTHON_VERSION)'-*.whl 2>/dev/null) && \
	  ../../docs/packaging/sbom '$(patsubst v%,%,$(VERSION))' '$(DATE)' "$$@" >$(RELEASE).spdx.json && \
	  sha256sum "$$@" $(RELEASE).spdx.json >SHA256SUMS
	@echo build/dist/SHA256SUMS
dist-source:
	@case '$(VERSION)' in *-dirty) echo 'what is not committed is not in the tarball' >&2;; esac
	@rm -rf build/dist/source; mkdir -p build/dist/source
	@git archive --prefix=$(RELEASE)/ HEAD | tar -x -C build/dist/source
	@printf '%s\n' '$(VERSION)' '$(DATE)' >build/dist/source/$(RELEASE)/VERSION
	@$(python_package) metadata >build/dist/source/$(RELEASE)/PKG-INFO
	@$(call tarball,build/dist/source,$(RELEASE),build/dist/$(RELEASE).tar.gz)
dist-binary: static all
	@rm -rf build/dist/binary; mkdir -p build/dist/binary
	+@$(MAKE) --no-print-directory PROGRAM=$(B)/static/$(NAME) VERSION='$(VERSION)' \
	  PREFIX=/$(RELEASE) DESTDIR='$(CURDIR)/build/dist/binary' install >/dev/null
	@strip build/dist/binary/$(RELEASE)/bin/$(NAME)
	@$(call tarball,build/dist/binary,$(RELEASE),build/dist/$(RELEASE)-$(PLATFORM).tar.gz)
# $(call tarball,FOLDER,NAME,FILE): times, owners and modes are not those of whoever packs.
tarball = tar -C $1 --sort=name --mtime=@$(DATE) --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -c $2 | \
	gzip -n9 >$3; echo $3
# Python's packages, which src/python makes. WHEELS is where a wheel goes.
PYTHON ?= python3
WHEELS ?= build/dist
WHEEL_PROGRAM ?= $(B)/static/$(NAME)
python_package = $(PYTHON) -B src/python/wheel.py '$(VERSION)' '$(DATE)'
PYTHON_VERSION = $(shell $(python_package) version)
wheel: $(B)/stripped/$(NAME)                             ## a wheel around the static program, in build/dist; CROSS=aarch64-linux-gnu
	@mkdir -p '$(WHEELS)'; $(python_package) wheel $< '$(WHEELS)'
$(B)/stripped/$(NAME): $(WHEEL_PROGRAM)
	@mkdir -p $(@D); $(STRIP) -o $@ $<
metadata:
	@$(python_package) described '$(WHEELS)'
sdist:                                                   ## the source tarball as Python's package index names it
	+@$(MAKE) --no-print-directory VERSION='$(VERSION)' RELEASE='$(NAME)-$(PYTHON_VERSION)' dist-source
check-wheel:                                             ## the wheels in the Pythons there are, pip, pipx, uvx, pre-commit, qemu, buildah; needs the network
	@tests/wheel/run
deb: all $(MANUALS:%=build/man/%) $(SHELLS:%=build/completion/%)  ## a Debian package of build/release, in build/deb
	+@MAKE='$(MAKE)' docs/packaging/deb '$(VERSION)' '$(DATE)'
clean:                                                   ## remove build/
	rm -rf build

-include $(B)/gen/fields.d $(OBJ:.o=.d) $(B)/cli/main.d $(UNIT:=.d) $(B)/unit/main.d $(B)/serve.d
endif

help:                                                    ## this list
	@sed -n 's/^\([a-z][-a-z ]*\):.*[#][#] \(.*\)/\1|\2/p' Makefile | column -t -s '|'
