#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
#
# tests/fuzz/run.sh TARGET [SECONDS]   fuzz an importer under AddressSanitizer and UBSan; TARGET is kineto_json
#
# Needs clang and libclang-rt-14-dev (Debian 12). Starts from tests/fuzz/corpus/TARGET; new inputs stay in
# build-fuzz/corpus/TARGET, findings in build-fuzz/findings.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${1:?which importer, for example kineto_json}
seconds=${2:-60}
build=build-fuzz
mkdir -p "$build/corpus/$target" "$build/findings"

flags=(-std=c++20 -g -O1 -I. -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined)
objects=()
for source in base/*.cc trace/store/*.cc trace/schema/*.cc trace/input/*.cc "trace/import/$target"/*.cc; do
  case $source in *_test.cc) continue ;; esac
  object=$build/${source//\//_}.o
  # A change of a header is seen as well: everything is newer than its object then.
  if [ ! -e "$object" ] || [ -n "$(find base trace -newer "$object" \( -name '*.h' -o -path "./$source" -o -path "$source" \) -print -quit)" ]; then
    clang++ "${flags[@]}" -fsanitize=fuzzer-no-link -c "$source" -o "$object"
  fi
  objects+=("$object")
done
clang++ "${flags[@]}" -fsanitize=fuzzer "tests/fuzz/${target}_fuzz.cc" "${objects[@]}" -lz -lzstd -lpthread -o "$build/$target"
exec "$build/$target" "$build/corpus/$target" "tests/fuzz/corpus/$target" -max_total_time="$seconds" -max_len=4096 \
  -artifact_prefix="$build/findings/" -print_final_stats=1 -timeout=20
