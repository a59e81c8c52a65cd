#!/bin/bash -eu
# build.sh: builds the harnesses in the manner of OSS-Fuzz. From the environment come CC CXX CFLAGS CXXFLAGS
# LIB_FUZZING_ENGINE and FUZZING_ENGINE, the sources in SRC/perfcheck (this tree, where it is not there), WORK for
# objects. Into OUT go fuzz_NAME, fuzz_NAME.options, fuzz_NAME.dict and fuzz_NAME_seed_corpus.zip, for each harness; the
# programs need nothing but libc there.
cd "$(dirname "$0")/.."
[ ! -d "${SRC:-}/perfcheck" ] || cd "$SRC/perfcheck"
work=$WORK/perfcheck

# Engines but libFuzzer cannot call a mutator that is linked in.
mutator=
[ "${FUZZING_ENGINE:-libfuzzer}" != libfuzzer ] || mutator='$(MUTATOR:%=$(B)/%)' # of the Makefile
make --no-print-directory -j"$(nproc)" B="$work" LTO= CC="$CC" CFLAGS="$CFLAGS" LINK="$CXX $CXXFLAGS" \
	LIBS="-l:libjansson.a -l:libxxhash.a -l:libzstd.a -pthread" ENGINE="$LIB_FUZZING_ENGINE $mutator" fuzzers

tools/hand-seeds "$work/seeds"
for options in fuzz/fuzz_*.options; do
	harness=$(basename "$options" .options)
	seeds=(corpus/crash corpus/real)
	for folder in corpus/seed "$work/seeds"; do
		[ ! -d "$folder/${harness#fuzz_}" ] || seeds+=("$folder/${harness#fuzz_}")
	done
	cp "$work/$harness" "$OUT/"
	sed "s/^dict = .*/dict = $harness.dict/" "$options" >"$OUT/$harness.options"
	! grep -q '^dict' "$options" || cp fuzz/perfdata.dict "$OUT/$harness.dict"
	rm -f "$OUT/${harness}_seed_corpus.zip"
	find "${seeds[@]}" -maxdepth 1 -type f ! -name "*.tsv" -size -128k | LC_ALL=C sort |
		zip -q -X -j "$OUT/${harness}_seed_corpus.zip" -@
done
