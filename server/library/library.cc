// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/library/library.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

#include "server/library/folder_list.h"
#include "server/library/trace_id.h"
#include "trace/session/trace_folder.h"

namespace lanewise::server::library {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMostCaptures = 16;

Result<std::string> real_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return not_found("no such file: " + path);
  return real.string();
}

bool inside(const std::string& path, const std::string& folder) {
  return path == folder || (path.size() > folder.size() && path.starts_with(folder) && (folder.ends_with('/') || path[folder.size()] == '/'));
}

Result<std::string> inside_one_of(const std::vector<std::string>& named, const std::string& path) {
  LW_ASSIGN_OR_RETURN(std::string real, real_path(path));
  const bool fine = std::any_of(named.begin(), named.end(), [&](const std::string& n) { return inside(real, n); });
  if (!fine) return failed_precondition("only files that were named on the command line or opened before can be opened: " + path);
  return real;
}

// A capture folder is called by what it was made for: ".../eager/i-..._pid_7/20261130_093616_541415" is "eager".
std::string name_of(const std::string& path) {
  const fs::path at = path;
  const std::string parent = at.parent_path().filename().string();
  if (parent.starts_with("i-") && parent.find("_pid_") != parent.npos) {
    const std::string above = at.parent_path().parent_path().filename().string();
    if (!above.empty()) return above + " " + at.filename().string();
  }
  return at.filename().string();
}

}  // namespace

Library::Library(StateFolder* state) : state_(state) {}
Library::~Library() { stop(); }

void Library::changed() {
  {
    const std::lock_guard lock(mutex_);
    ++changes_;
  }
  change_.notify_all();
}

uint64_t Library::wait_for_change(uint64_t seen, double seconds) const {
  std::unique_lock lock(mutex_);
  change_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return changes_ != seen; });
  return changes_;
}

bool Library::busy() const {
  const auto all = traces();
  return std::any_of(all.begin(), all.end(), [](const auto& trace) { return trace->busy(); });
}

std::vector<std::shared_ptr<OpenTrace>> Library::traces() const {
  const std::lock_guard lock(mutex_);
  return traces_;
}

std::shared_ptr<OpenTrace> Library::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(traces_.begin(), traces_.end(), [&](const auto& trace) { return trace->id() == id; });
  return at == traces_.end() ? nullptr : *at;
}

std::vector<std::string> Library::folders() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> folders;
  std::error_code ignored;
  for (const std::string& path : named_) {
    if (fs::is_directory(path, ignored)) folders.push_back(path);
  }
  return folders;
}

std::vector<std::string> Library::named() const {
  std::vector<std::string> named;
  {
    const std::lock_guard lock(mutex_);
    named = named_;
    named.insert(named.end(), offered_.begin(), offered_.end());
  }
  for (const RecentTrace& recent : state_->recent()) {
    if (auto known = real_path(recent.path); known.ok()) named.push_back(std::move(*known));
  }
  return named;
}

Result<std::string> Library::allowed(const std::string& path) const { return inside_one_of(named(), path); }

Result<std::shared_ptr<OpenTrace>> Library::open_files(const std::string& path, const std::string& name, const trace::session::TraceFiles& files, bool remember) {
  LW_ASSIGN_OR_RETURN(const std::string id, trace_id(files.files));
  std::shared_ptr<OpenTrace> trace, failed;  // ends its threads only after the lock is gone: they may wait for it
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(traces_.begin(), traces_.end(), [&](const auto& t) { return t->id() == id; });
    // A trace that failed is tried again.
    if (known != traces_.end() && (*known)->status().state != TraceState::failed) {
      trace = *known;
    } else {
      if (known != traces_.end()) failed = *known, traces_.erase(known);
      trace = std::make_shared<OpenTrace>(id, name, path, files, [this] { changed(); });
      trace->start();
      traces_.push_back(trace);
    }
  }
  changed();
  // Being remembered is a comfort: a home that cannot be written must not keep a trace from being opened.
  if (remember) (void)state_->remember({path, name, id, utc_text(std::time(nullptr))}).ok();
  return trace;
}

Result<std::vector<std::shared_ptr<OpenTrace>>> Library::name(const std::string& path) {
  LW_ASSIGN_OR_RETURN(const std::string real, real_path(path));
  std::vector<std::string> targets;
  std::error_code error;
  if (!fs::is_directory(real, error) || is_capture_folder(real)) {
    targets.push_back(real);
  } else {
    LW_ASSIGN_OR_RETURN(const trace::session::TraceFiles found, trace::session::trace_files(real));
    std::vector<std::string> captures;
    bool others = false;
    for (const std::string& file : found.files) {
      const std::string folder = fs::path(file).parent_path().string();
      if (!is_capture_folder(folder)) others = true;
      else if (captures.empty() || captures.back() != folder) captures.push_back(folder);
    }
    // In the order in which they were made: their folders are called by the time.
    std::stable_sort(captures.begin(), captures.end(), [](const std::string& a, const std::string& b) { return fs::path(a).filename() < fs::path(b).filename(); });
    if (others || captures.size() <= 1) targets.push_back(captures.size() == 1 && !others ? captures[0] : real);
    else if (captures.size() <= kMostCaptures) targets = captures;
  }
  {
    const std::lock_guard lock(mutex_);
    named_.push_back(real);
  }
  std::vector<std::shared_ptr<OpenTrace>> opened;
  for (const std::string& target : targets) {
    LW_ASSIGN_OR_RETURN(const trace::session::TraceFiles files, trace::session::trace_files(target));
    LW_ASSIGN_OR_RETURN(auto trace, open_files(target, name_of(target), files, true));
    opened.push_back(std::move(trace));
  }
  return opened;
}

void Library::offer(const std::string& path) {
  auto real = real_path(path);
  if (!real.ok()) return;
  const std::lock_guard lock(mutex_);
  offered_.push_back(std::move(*real));
}

Result<std::shared_ptr<OpenTrace>> Library::open(const std::string& path) {
  const std::vector<std::string> named = this->named();
  LW_ASSIGN_OR_RETURN(const std::string real, inside_one_of(named, path));
  LW_ASSIGN_OR_RETURN(const trace::session::TraceFiles files, trace::session::trace_files(real));
  // What lies in a folder that was named, links too, is what the user put there. Deeper down it may be a stranger's: no link leads out.
  if (std::find(named.begin(), named.end(), real) == named.end()) {
    for (const std::string& file : files.files) LW_RETURN_IF_ERROR(inside_one_of(named, file).status());
  }
  return open_files(real, name_of(real), files, true);
}

Result<std::shared_ptr<OpenTrace>> Library::open_upload(const std::string& path, const std::string& name) {
  LW_ASSIGN_OR_RETURN(const trace::session::TraceFiles files, trace::session::trace_files(path));
  return open_files(path, name, files, false);
}

bool Library::close(const std::string& id) {
  std::shared_ptr<OpenTrace> trace;
  {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(traces_.begin(), traces_.end(), [&](const auto& t) { return t->id() == id; });
    if (at == traces_.end()) return false;
    trace = *at;
    traces_.erase(at);
  }
  trace->cancel();
  changed();
  return true;  // requests that hold it finish; the last one ends its threads
}

void Library::stop() {
  std::vector<std::shared_ptr<OpenTrace>> traces;
  {
    const std::lock_guard lock(mutex_);
    traces.swap(traces_);
  }
  for (const auto& trace : traces) trace->cancel();
  changed();  // who waits for one looks up
}

}  // namespace lanewise::server::library
