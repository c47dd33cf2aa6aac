// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_bench.h"

#include <cstdio>
#include <filesystem>

#include "tools/trace_input.h"

namespace lanewise::tools {

int run_bench_generate(const GenerateOptions& options) {
  auto done = generate_trace(options);
  if (!done.ok()) return exit_code_of(done.status());
  std::error_code error;
  done->made.stored_bytes = std::filesystem::file_size(options.out, error);
  const TraceShape &real = done->real, &made = done->made;
  const auto line = [&](const char* what, auto value, const char* format) {
    std::printf("%-22s", what);
    std::printf(format, value(real));
    std::printf(format, value(made));
    std::printf("\n");
  };
  const auto share = [](uint64_t part, uint64_t whole) { return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole); };
  std::printf("%-22s%16s%16s\n", "", "real", "generated");
  line("events", [](const TraceShape& s) { return static_cast<unsigned long long>(s.events); }, "%16llu");
  line("MB of text", [](const TraceShape& s) { return static_cast<double>(s.text_bytes) / 1e6; }, "%16.1f");
  line("MB stored", [](const TraceShape& s) { return static_cast<double>(s.stored_bytes) / 1e6; }, "%16.1f");
  line("bytes an event", [&](const TraceShape& s) { return share(s.event_bytes, s.events); }, "%16.1f");
  line("share of args, %", [&](const TraceShape& s) { return 100 * share(s.args_bytes, s.event_bytes); }, "%16.1f");
  line("distinct names", [](const TraceShape& s) { return static_cast<unsigned long long>(s.unique_names); }, "%16llu");
  return kExitDone;
}

}  // namespace lanewise::tools
