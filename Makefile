# SPDX-License-Identifier: GPL-2.0-or-later
# Targets: all arm64 deps deps-arm64 demo test test-lab fuzz lint install clean; V=1 shows the commands,
# SANITIZE=address,undefined builds into build-sanitize/, WERROR=1 makes warnings errors.

VERSION   := 0.1.0
PREFIX    ?= /usr/local
DESTDIR   ?=
SANITIZE  ?=
WERROR    ?= $(if $(CI),1,)
BUILD     ?= build$(if $(SANITIZE),-sanitize)
CC        ?= cc

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2);)

PKGS      := jansson hwloc sqlite3 libcyaml yaml-0.1 gsl libmd numa
WARN      := -Wall -Wextra -Wshadow -Wvla -Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes \
             -Wpointer-arith -Wformat=2
CFLAGS    ?= -O2 -g
SB_CFLAGS  = -std=gnu11 -D_GNU_SOURCE -fno-common $(WARN) $(if $(WERROR),-Werror) \
             $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer) \
             -Iharness -DSCHEDBENCH_VERSION='"$(VERSION)"' -DSCHEDBENCH_DATADIR='"$(PREFIX)/share/schedbench"' \
             -DSCHEDBENCH_LIBEXECDIR='"$(PREFIX)/libexec/schedbench"'
SB_LDFLAGS = $(if $(SANITIZE),-fsanitize=$(SANITIZE)) -pthread

# Asked once, at the first recipe that compiles: `make deps` may have to run before pkg-config answers.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $(PKGS)))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $$(shell pkg-config --libs $(PKGS)) -lfdt)$(PKG_LIBS)

AGENT_SRC    := harness/agent/agent_main.c
HARNESS_SRC  := $(filter-out $(AGENT_SRC),$(sort $(wildcard harness/*/*.c)))
BENCH_SRC    := $(sort $(wildcard bench/*.c))
WORKLOAD_SRC := $(sort $(wildcard workloads/*.c))
UNIT_SRC     := $(sort $(wildcard tests/unit/test_*.c))
TOOL_SRC     := $(sort $(wildcard tests/tools/*.c))
FUZZ_SRC     := $(sort $(wildcard tests/fuzz/fuzz_*.c))

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
HARNESS_OBJ  := $(call obj,$(HARNESS_SRC))
# The agent takes what runs inside the guest, and no more: it is carried into every initramfs.
AGENT_OBJ    := $(call obj,$(AGENT_SRC) $(filter harness/agent/agent_%.c harness/agent/protocol.c harness/util/%.c,$(HARNESS_SRC)))
WORKLOAD_LIB := $(call obj,$(filter-out workloads/main.c,$(WORKLOAD_SRC)))

PROGRAMS := $(BUILD)/schedbench $(BUILD)/schedbench-agent $(BUILD)/schedbench-workload
UNITS    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(UNIT_SRC)) \
            $(patsubst tests/fuzz/%.c,$(BUILD)/tests/%,$(FUZZ_SRC))
TOOLS    := $(patsubst tests/tools/%.c,$(BUILD)/tests/%,$(TOOL_SRC))

.PHONY: all deps deps-arm64 demo test test-unit test-cli test-boot test-lab lint format install clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(PROGRAMS)

$(BUILD)/schedbench: $(call obj,$(BENCH_SRC)) $(HARNESS_OBJ)
	$(call say,LD,$@)$(CC) $(SB_LDFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

$(BUILD)/schedbench-agent: $(AGENT_OBJ)
	$(call say,LD,$@)$(CC) $(SB_LDFLAGS) $(LDFLAGS) -Wl,--as-needed -o $@ $^ $(PKG_LIBS) -lm

$(BUILD)/schedbench-workload: $(call obj,$(WORKLOAD_SRC))
	$(call say,LD,$@)$(CC) $(SB_LDFLAGS) $(LDFLAGS) -Wl,--as-needed -o $@ $^ $(PKG_LIBS) -lm

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(SB_CFLAGS) $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The two programs that run in a guest, for arm64; with the libraries they need beside them.
ARM64          := $(BUILD)/arm64
ARM64_CC       ?= aarch64-linux-gnu-gcc
ARM64_ROOT     := $(ARM64)/root
ARM64_CFLAGS    = $(filter-out -fsanitize=%,$(SB_CFLAGS)) -isystem $(ARM64_ROOT)/usr/include \
                  -isystem $(ARM64_ROOT)/usr/include/aarch64-linux-gnu
ARM64_LDFLAGS   = -pthread -L$(ARM64_ROOT)/usr/lib/aarch64-linux-gnu -Wl,--as-needed \
                  -Wl,-rpath-link,$(ARM64_ROOT)/usr/lib/aarch64-linux-gnu
ARM64_LIBS     := -ljansson -lhwloc -lmd -lnuma -lm
arm64_obj       = $(patsubst $(BUILD)/%,$(ARM64)/%,$(1))
ARM64_PROGRAMS := $(ARM64)/schedbench-agent $(ARM64)/schedbench-workload

.PHONY: arm64
arm64: $(ARM64_PROGRAMS)

$(ARM64)/lib/.done: scripts/arm64-libraries
	$(call say,FETCH,$(ARM64_ROOT))scripts/arm64-libraries $(ARM64_ROOT) $(ARM64)/lib && touch $@

$(ARM64)/obj/%.o: %.c $(ARM64)/lib/.done
	@mkdir -p $(@D)
	$(call say,CC,$@)$(ARM64_CC) $(ARM64_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(ARM64)/schedbench-agent: $(call arm64_obj,$(AGENT_OBJ))
	$(call say,LD,$@)$(ARM64_CC) $(ARM64_LDFLAGS) -o $@ $^ $(ARM64_LIBS)

$(ARM64)/schedbench-workload: $(call arm64_obj,$(call obj,$(WORKLOAD_SRC)))
	$(call say,LD,$@)$(ARM64_CC) $(ARM64_LDFLAGS) -o $@ $^ $(ARM64_LIBS)

# Unit tests named test_workload_*.c are linked with the workloads, all others with the harness.
$(BUILD)/tests/test_workload_%: $(BUILD)/obj/tests/unit/test_workload_%.o $(WORKLOAD_LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(SB_LDFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lcmocka -lm

$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(HARNESS_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(SB_LDFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lcmocka -lm

# Without libFuzzer a fuzzer is a test: its corpus and mutations of it from a fixed seed.
$(BUILD)/tests/%: $(BUILD)/obj/tests/fuzz/%.o $(HARNESS_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(SB_LDFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

$(BUILD)/tests/%: $(BUILD)/obj/tests/tools/%.o $(HARNESS_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(SB_LDFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

deps:
	$(Q)scripts/install-deps

deps-arm64:
	$(Q)scripts/install-deps debian-packages-arm64

demo: deps
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) all
	$(Q)scripts/demo

test: deps
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) all $(UNITS) $(TOOLS)
	$(Q)$(MAKE) --no-print-directory run-tests

# One runner and one summary for both kinds of test: cmocka and bats print TAP, prove reads it.
.PHONY: run-tests
run-tests: all $(UNITS) $(TOOLS)
	$(Q)BUILD=$(abspath $(BUILD)) CMOCKA_MESSAGE_OUTPUT=TAP prove --exec scripts/run-test --timer \
		$(UNITS) $(sort $(wildcard tests/cli/*.bats))

test-boot: all
	$(Q)BUILD=$(abspath $(BUILD)) prove --exec scripts/run-test --timer $(sort $(wildcard tests/boot/*.bats))

# What takes long: skipped by name once LAB_BUDGET seconds are used up. Kernels stay in the cache.
test-lab: all
	$(Q)BUILD=$(abspath $(BUILD)) LAB_START=$$(date +%s) LAB_BUDGET=$${LAB_BUDGET:-2700} prove --exec scripts/run-test --timer $(sort $(wildcard tests/lab/*.bats))

test-unit: $(UNITS) $(TOOLS)
	$(Q)BUILD=$(abspath $(BUILD)) CMOCKA_MESSAGE_OUTPUT=TAP prove --exec scripts/run-test $(UNITS)

# With libFuzzer (clang), each for FUZZ_SECONDS; what it finds is kept in build-fuzz/.
FUZZ_SECONDS ?= 600
.PHONY: fuzz
fuzz: $(patsubst tests/fuzz/fuzz_%.c,fuzz-%,$(FUZZ_SRC))
fuzz-%: tests/fuzz/fuzz_%.c
	@mkdir -p build-fuzz/$*
	$(Q)clang $(SB_CFLAGS) $(PKG_CFLAGS) -O1 -g -DFUZZER -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -o build-fuzz/$@ $< $(HARNESS_SRC) $(PKG_LIBS) -lm
	$(Q)build-fuzz/$@ -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 \
		-artifact_prefix=build-fuzz/ build-fuzz/$* $(wildcard tests/data/$* results/$*/*)

# How often each rule of significance marks what is not there, and misses what is.
.PHONY: bench-stats
bench-stats: $(BUILD)/tests/bench-stats
	$(Q)$<

.PHONY: bench-harness
bench-harness: all
	$(Q)BUILD=$(BUILD) scripts/bench-harness

# Our generators beside the originals: CPU time and context switches of an operation.
.PHONY: bench-peers
bench-peers: all $(BUILD)/tests/usage
	$(Q)BUILD=$(BUILD) scripts/bench-peers

lint:
	$(Q)scripts/lint

format:
	$(Q)git ls-files '*.[ch]' | xargs clang-format -i

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/schedbench $(DESTDIR)$(PREFIX)/share/schedbench
	install -m 755 $(BUILD)/schedbench $(BUILD)/schedbench-workload $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BUILD)/schedbench-agent $(DESTDIR)$(PREFIX)/libexec/schedbench
	if [ -e $(ARM64)/schedbench-workload ]; then \
		install -d $(DESTDIR)$(PREFIX)/libexec/schedbench/arm64/lib && \
		install -m 755 $(ARM64_PROGRAMS) $(DESTDIR)$(PREFIX)/libexec/schedbench/arm64 && \
		install -m 755 $(ARM64)/lib/*.so* $(DESTDIR)$(PREFIX)/libexec/schedbench/arm64/lib; fi
	cp -r configs plots $(DESTDIR)$(PREFIX)/share/schedbench
	install -d $(DESTDIR)$(PREFIX)/share/schedbench/results
	cp -r results/published $(DESTDIR)$(PREFIX)/share/schedbench/results
	install -d $(DESTDIR)$(PREFIX)/share/doc/schedbench
	install -m 644 README.md docs/*.md docs/*.png $(DESTDIR)$(PREFIX)/share/doc/schedbench

clean:
	rm -rf build build-sanitize

-include $(patsubst %.o,%.d,$(call arm64_obj,$(AGENT_OBJ) $(call obj,$(WORKLOAD_SRC))))
-include $(patsubst %.o,%.d,$(call obj,$(HARNESS_SRC) $(AGENT_SRC) $(BENCH_SRC) $(WORKLOAD_SRC) $(UNIT_SRC) $(TOOL_SRC) $(FUZZ_SRC)))
