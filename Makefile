# perfcheck: make builds ./perfcheck, make test tests it, make demo shows it. See README.md.
#
# Every flavour (plain, asan, valgrind ...) has a build folder of its own, made by the same rules.

CC      ?= cc
CFLAGS  ?= -O2 -g
FLAVOUR ?= plain
B       := build/$(FLAVOUR)

STD      := -std=c11 -Isrc -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -ffile-prefix-map=$(CURDIR)=.
WARN     := -Wall -Wextra -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wwrite-strings -Wundef -Wvla
HARDEN   := -fstack-protector-strong -fPIE
LTO      ?= -flto
LDHARDEN := -pie -Wl,-z,relro,-z,now
LIBS     := -ljansson

SRC     := $(wildcard src/*.c)
OBJ     := $(SRC:src/%.c=$(B)/%.o)
LIBOBJ  := $(filter-out $(B)/main.o,$(OBJ))
TESTSRC := $(wildcard tests/test_*.c)
TESTS   := $(TESTSRC:tests/%.c=$(B)/tests/%)

.PHONY: all deps demo test check unit asan valgrind lint bench clean
.SECONDARY:

all: perfcheck

perfcheck: $(B)/perfcheck
	@cp -f $< $@

$(B)/perfcheck: $(OBJ)
	@echo "  LD   $@"
	@$(CC) $(CFLAGS) $(LTO) $(EXTRA) $(LDHARDEN) -o $@ $^ $(LIBS)

$(B)/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(STD) $(WARN) $(CFLAGS) $(HARDEN) $(LTO) $(EXTRA) -MMD -MP -c -o $@ $<

$(B)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(STD) $(WARN) $(CFLAGS) $(HARDEN) $(LTO) $(EXTRA) -MMD -MP -c -o $@ $<

$(B)/tests/test_%: $(B)/tests/test_%.o $(LIBOBJ)
	@echo "  LD   $@"
	@$(CC) $(CFLAGS) $(LTO) $(EXTRA) $(LDHARDEN) -o $@ $^ $(LIBS) -lcmocka

-include $(OBJ:.o=.d) $(TESTS:=.d)

clean:
	rm -rf build perfcheck
