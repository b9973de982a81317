# parplan: one non-recursive Makefile. `make help` lists the targets.
NAME   := parplan
MODE   ?= release
B      := build/$(MODE)
Q      := $(if $(V),,@)
PREFIX ?= /usr/local
bindir := $(PREFIX)/bin
mandir := $(PREFIX)/share/man
datadir := $(PREFIX)/share

# Every command re-enters make with MODE=...; a word of make's own for `make check UPDATE=1`.
UPDATE ?=
export UPDATE

PKGS := yaml-0.1 libpcre2-8 libcgraph
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 \
        -Wundef -Wimplicit-fallthrough -Wdouble-promotion -Wvla
WARN_C := -Wstrict-prototypes -Wmissing-prototypes
HARD := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection -fPIE
mode_release := -O2 -g $(HARD)
mode_asan    := -O1 -g3 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
mode_torture := $(mode_asan) -DARENA_CHUNK=64
mode_cov     := -O0 -g --coverage
link_release := -pie -Wl,-z,relro,-z,now
link_asan    := -fsanitize=address,undefined
link_torture := $(link_asan)
link_cov     := --coverage
# CFLAGS and LDFLAGS are the user's; the mode's own flags are always there.
all_cppflags = -Isrc -I$(B)/gen -D_POSIX_C_SOURCE=200809L $(CPPFLAGS)
all_cflags   = $(WARN) $(if $(WERROR),-Werror) -ffile-prefix-map=$(CURDIR)=. -ffp-contract=off $(PKG_CFLAGS) $(mode_$(MODE)) $(CFLAGS)
compile_c    = $(CC) $(all_cppflags) -std=c11 $(WARN_C) $(all_cflags) -MMD -MP
compile_cxx  = $(CXX) $(all_cppflags) -std=c++17 $(all_cflags) -MMD -MP
link         = $(CC) $(link_$(MODE)) $(LDFLAGS)
# libstdc++ is linked statically: loading it costs a third of the start-up time.
LIBS         = $(PKG_LIBS) -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -lm

SRC  := $(sort $(shell find src -name '*.c'))
CXXSRC := $(sort $(shell find src -name '*.cc'))
MAIN := src/cli/main.c
OBJ  := $(patsubst src/%.c,$(B)/%.o,$(filter-out $(MAIN),$(SRC))) $(patsubst src/%.cc,$(B)/%.o,$(CXXSRC)) $(B)/gen/presets.o
LIB  := $(B)/lib$(NAME).a
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(sort $(shell find tests/unit -name '*.c' 2>/dev/null)))
PRESETS := $(sort $(shell find src/presets -name '*.yaml'))

# Extension points: the list of rows is the folder's listing.
names = $(sort $(basename $(notdir $(wildcard $(1)))))
LISTS := dialects frameworks rulesets formats figures commands
list_dialects   := $(call names,src/input/dialects/*.c)
list_frameworks := $(call names,src/framework/rows/*.c)
list_rulesets   := $(call names,src/rules/sets/*.c)
list_formats    := $(call names,src/report/formats/*.c)
list_figures    := $(call names,src/draw/figures/*.c)
list_commands   := $(patsubst cmd_%,%,$(call names,src/cli/cmd_*.c))
GEN := $(LISTS:%=$(B)/gen/%.inc) $(B)/gen/version.h
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || cat VERSION 2>/dev/null || echo unknown)

.PHONY: all check clean help FORCE
all: $(B)/$(NAME)                                        ## build build/release/parplan

$(B)/$(NAME): $(B)/cli/main.o $(LIB)
	$(Q)echo '  LD  $@'; $(link) -o $@ $^ $(LIBS)
$(LIB): $(OBJ)
	$(Q)rm -f $@; $(AR) rcs $@ $^
$(B)/unit/%: tests/unit/%.c $(LIB)
	$(Q)echo '  CC  $<'; mkdir -p $(@D); $(compile_c) -Itests $(link_$(MODE)) $(LDFLAGS) -o $@ $< $(LIB) -lcmocka $(LIBS)
$(B)/%.o: src/%.c | $(GEN)
	$(Q)echo '  CC  $<'; mkdir -p $(@D); $(compile_c) -c -o $@ $<
$(B)/%.o: src/%.cc | $(GEN)
	$(Q)echo '  CXX $<'; mkdir -p $(@D); $(compile_cxx) -c -o $@ $<
$(B)/gen/presets.o: $(B)/gen/presets.c
	$(Q)$(compile_c) -c -o $@ $<

# Generated files are replaced only when they change.
replace = cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(B)/gen/version.h: FORCE
	@mkdir -p $(@D); echo '#define VERSION "$(VERSION)"' >$@.new; $(replace)
$(LISTS:%=$(B)/gen/%.inc): $(B)/gen/%.inc: FORCE
	@mkdir -p $(@D); printf '%s' '$(patsubst %,X(%),$(list_$*))' | tr ' ' '\n' >$@.new; echo >>$@.new; $(replace)
$(B)/gen/presets.c: $(PRESETS) src/presets/embed.awk
	@mkdir -p $(@D); LC_ALL=C awk -f src/presets/embed.awk $(PRESETS) >$@.new; $(replace); touch $@

check: all $(UNIT)                                       ## unit tests, rule files, golden files, gates
	@tests/run $(B)

clean:                                                   ## remove build/
	rm -rf build
help:
	@sed -n 's/^\([a-z][a-z ]*\):.*[#][#] \(.*\)/\1|\2/p' Makefile | column -t -s '|'

-include $(OBJ:.o=.d) $(B)/cli/main.d $(UNIT:=.d)
