# build/playground/index.html: parplan in a browser. `make playground` alone builds it, with emscripten.
# MODE=wasm is the program as WebAssembly; SOURCES=FOLDER has libyaml-* and pcre2-* unpacked, which are fetched otherwise.
PLAY := docs/playground
WASM_LIBRARIES := build/wasm/libraries
ifeq ($(MODE),wasm)
CC  := emcc
CXX := em++
AR  := emar
PKG_CFLAGS := -isystem $(WASM_LIBRARIES)/include
endif
mode_wasm := $(NO_SANDBOX) -D_XOPEN_SOURCE=700 -Os
# The page calls main once per instance, which ends with it.
link_wasm := -Os -sMODULARIZE -sEXPORT_NAME=parplan -sENVIRONMENT=worker -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=33554432 \
  -sTOTAL_STACK=4194304 -sINVOKE_RUN=0 -sEXIT_RUNTIME -sFORCE_FILESYSTEM -sEXPORTED_RUNTIME_METHODS=callMain,FS,ENV

.PHONY: playground check-playground
playground:
	+@$(MAKE) --no-print-directory MODE=wasm CGRAPH=no build/playground/index.html
$(if $(filter wasm,$(MODE)),$(OBJ) $(B)/cli/main.o): | $(WASM_LIBRARIES)/lib/libpcre2-8.a
$(WASM_LIBRARIES)/lib/libpcre2-8.a: $(PLAY)/libraries
	$(Q)echo '  SH  $<'; $< $(WASM_LIBRARIES) $(SOURCES)
build/wasm/browser.o: $(PLAY)/browser.c
	$(Q)echo '  CC  $<'; mkdir -p $(@D); $(compile_c) -c -o $@ $<
# Debian's emscripten needs acorn, which a node that is not Debian's finds by NODE_PATH alone.
build/wasm/parplan.js: build/wasm/browser.o $(B)/cli/main.o $(OBJ) $(WASM_LIBRARIES)/lib/libpcre2-8.a
	$(Q)echo '  LD  $@'; NODE_PATH=/usr/share/nodejs emcc $(link_wasm) -o $@ $(filter %.o,$^) -L$(WASM_LIBRARIES)/lib -lyaml -lpcre2-8
# What people meet first, and what can be tried.
PLAY_EXAMPLES := plans/incidents/hsdp-collapse-711.toml plans/mistake-degrees.yaml plans/hsdp-2x8.yaml plans/pp-interleaved-405b.yaml
build/playground/index.html: build/wasm/parplan.js $(PLAY_EXAMPLES) $(addprefix $(PLAY)/,assemble.js page.html page.js style.css worker.js)
	$(Q)mkdir -p $(@D); node $(PLAY)/assemble.js $< $(<:.js=.wasm) $(PLAY_EXAMPLES) >$@.new && mv $@.new $@
	$(Q)echo "$@: $$(wc -c <$@) bytes, $$(gzip -9c $@ | wc -c) compressed"
BROWSER = $(shell for name in chromium chromium-browser google-chrome; do command -v $$name && break; done)
check-playground: all playground
	node tests/playground/same.js build/playground/index.html $(B)/$(NAME) check plan sim
	node tests/playground/page.js build/playground/index.html $(BROWSER) $(PICTURES)
