#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
#
# tests/fuzz/run.sh TARGET [SECONDS]   fuzz an importer under AddressSanitizer and UBSan; TARGET is kineto_json, perfetto, neff,
# ntff or lanewise_pair
#
# With clang and its libFuzzer (Debian 12: clang-14, libclang-rt-14-dev) SECONDS are of the clock; without, g++ and our own
# mutation_driver.cc do the same work and SECONDS are CPU time. Starts from tests/fuzz/corpus/TARGET; new inputs stay in
# build-fuzz/corpus/TARGET, findings in build-fuzz/findings.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${1:?which importer: kineto_json, perfetto, neff, ntff or lanewise_pair}
seconds=${2:-60}
build=build-fuzz
mkdir -p "$build/corpus/$target" "$build/findings"

flags=(-std=c++20 -g1 -O1 -I. -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined)
libraries=(-lz -lzstd -lpthread -larchive)
if clang++ -fsanitize=fuzzer -x c++ - -o /dev/null 2>/dev/null <<<'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }'; then
  compiler=clang++
  coverage=-fsanitize=fuzzer-no-link
  driver=(-fsanitize=fuzzer)
  arguments=(-max_total_time="$seconds" -max_len=4096 -artifact_prefix="$build/findings/" -print_final_stats=1 -timeout=20)
else
  compiler=g++
  coverage=-fsanitize-coverage=trace-pc
  driver=(tests/fuzz/mutation_driver.cc)
  arguments=(-seconds="$seconds" -artifacts="$build/findings")
fi

# What a target rests on, beside base/. Rooms whose files may not stand in one translation unit are compiled file by file.
case $target in
  neff) rooms=(isa isa/trn2 trace/record trace/import/neff) joined= ;;
  ntff) rooms=(isa trace/record trace/import/ntff) joined= ;;
  lanewise_pair) rooms=(isa machine trace/record trace/import/lanewise_pair) joined= ;;
  *) rooms=(trace/store trace/schema trace/input "trace/import/$target") joined=1 ;;
esac

# What machine/CMakeLists.txt makes of the presets' files.
generated=()
if [ "$target" = lanewise_pair ]; then
  generated=("$build/presets.cc")
  while IFS= read -r line; do
    if [[ $line != @PRESET_ROWS@* ]]; then printf '%s\n' "$line"; continue; fi
    for preset in machine/data/*.toml; do printf '    {"%s", R"toml(%s\n)toml"},\n' "$(basename "$preset" .toml)" "$(cat "$preset")"; done
    printf '%s\n' "${line#@PRESET_ROWS@}"
  done <machine/presets.cc.in >"$build/presets.cc.new"
  if cmp -s "$build/presets.cc.new" "${generated[0]}"; then rm "$build/presets.cc.new"; else mv "$build/presets.cc.new" "${generated[0]}"; fi
fi

if [ -z "$joined" ]; then
  objects=()
  for source in base/*.cc $(printf '%s/*.cc ' "${rooms[@]}") "${generated[@]}"; do
    case $source in *_test.cc) continue ;; esac
    object=$build/$target-$compiler/${source//\//_}.o
    objects+=("$object")
    if [ -e "$object" ] && [ -z "$(find base isa machine trace/record "trace/import/$target" "${generated[@]}" -newer "$object" \( -name '*.h' -o -path "$source" \) -print -quit)" ]; then continue; fi
    mkdir -p "$build/$target-$compiler"
    echo "compiling $source" >&2
    "$compiler" "${flags[@]}" "$coverage" -c "$source" -o "$object"
  done
  "$compiler" "${flags[@]}" "${driver[@]}" "tests/fuzz/${target}_fuzz.cc" "${objects[@]}" "${libraries[@]}" -o "$build/$target"
  exec "$build/$target" "$build/corpus/$target" "tests/fuzz/corpus/$target" "${arguments[@]}"
fi

# All sources as one: the standard headers are read once, not thirty times. A change of any of them compiles it again.
one=$build/$target-$compiler.cc
for room in base "${rooms[@]}"; do ls "$room"/*.cc; done | grep -v '_test\.cc$' |
  sed 's/.*/#include "&"/' >"$one"
if [ ! -e "$one.o" ] || [ -n "$(find base trace -newer "$one.o" \( -name '*.h' -o -name '*.cc' \) -print -quit)" ]; then
  echo "compiling $target and what it rests on" >&2
  "$compiler" "${flags[@]}" "$coverage" -c "$one" -o "$one.o"
fi
"$compiler" "${flags[@]}" "${driver[@]}" "tests/fuzz/${target}_fuzz.cc" "$one.o" "${libraries[@]}" -o "$build/$target"
exec "$build/$target" "$build/corpus/$target" "tests/fuzz/corpus/$target" "${arguments[@]}"
