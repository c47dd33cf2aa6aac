// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/trace_input.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "trace/session/producers_file.h"

namespace lanewise::tools {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) {
  if (interrupted != 0) _exit(kExitInterrupted);  // the second Ctrl-C does not wait
  interrupted = 1;
}

// One line on stderr, drawn over itself, from the second second on.
class ProgressLine {
 public:
  bool update(const trace::schema::ImportProgress& progress) {
    if (interrupted != 0) return false;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (seconds < 1.0) return true;
    const double done = static_cast<double>(progress.stored_bytes_done);
    const double total = static_cast<double>(progress.stored_bytes_total);
    const double share = total > 0 ? std::min(1.0, done / total) : 1.0;
    const double left = share > 0 ? seconds * (1 - share) / share : 0;
    std::fprintf(stderr, "%sreading: %3.0f %%, %.0f MB of text, %.0f MB/s, %.1f M events, %.0f s left%s", terminal_ ? "\r" : "",
                 share * 100, static_cast<double>(progress.text_bytes) / 1e6,
                 static_cast<double>(progress.text_bytes) / 1e6 / seconds, static_cast<double>(progress.events) / 1e6, left,
                 terminal_ ? "   " : "\n");
    drawn_ = true;
    return true;
  }
  ~ProgressLine() {
    if (drawn_ && terminal_) std::fprintf(stderr, "\r\x1b[K");
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool drawn_ = false;
};

}  // namespace

Result<TraceInput> open_trace(const std::vector<std::string>& paths, const std::string& producers_path) {
  TraceInput input;
  trace::session::OpenOptions options;
  LW_ASSIGN_OR_RETURN(input.producers, trace::session::read_producers(producers_path));
  options.producers = input.producers.get();
  struct sigaction action = {}, before = {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, &before);
  ProgressLine line;
  // A pipe gets a line every second instead of ten.
  auto last = std::chrono::steady_clock::now();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  options.import.progress = [&](const trace::schema::ImportProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal && interrupted == 0 && now - last < std::chrono::seconds(1)) return true;
    last = now;
    return line.update(progress);
  };
  auto session = trace::session::Session::open(paths, options);
  sigaction(SIGINT, &before, nullptr);
  if (!session.ok()) return session.status();
  input.session = std::move(*session);
  return input;
}

int exit_code_of(const Status& status) {
  if (status.code() == StatusCode::cancelled) {
    std::fprintf(stderr, "lanewise: interrupted\n");
    return kExitInterrupted;
  }
  std::fprintf(stderr, "lanewise: %s\n", status.message().c_str());
  return kExitUsage;
}

bool report_damage(const trace::session::Session& session) {
  bool damaged = false;
  for (const auto& entry : session.files()) {
    const trace::schema::Ledger& ledger = entry.file.ledger;
    if (!ledger.damaged()) continue;
    damaged = true;
    std::fprintf(stderr, "lanewise: %s is damaged: %llu events dropped, %llu repaired, %llu bytes skipped%s", entry.file.path.c_str(),
                 static_cast<unsigned long long>(ledger.dropped), static_cast<unsigned long long>(ledger.repaired),
                 static_cast<unsigned long long>(ledger.skipped_bytes), ledger.truncated > 0 ? ", cut off" : "");
    for (const auto& reason : ledger.reasons) {
      if (reason.offsets.empty()) continue;
      std::fprintf(stderr, "; %s at byte %llu", reason.kind.c_str(), static_cast<unsigned long long>(reason.offsets.front()));
      if (reason.count > 1) std::fprintf(stderr, " and %llu more", static_cast<unsigned long long>(reason.count - 1));
    }
    std::fprintf(stderr, "\n");
  }
  for (const auto& [path, reason] : session.unread()) {
    damaged = true;
    std::fprintf(stderr, "lanewise: %s was not read, the numbers are without it: %s\n", path.c_str(), reason.c_str());
  }
  return damaged;
}

}  // namespace lanewise::tools
