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
#include "trace/pair/file_kind.h"
#include "trace/session/launch_sources.h"
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

bool is_device_file(const fs::path& path) { return trace::pair::kind_of_file(path.string()) != trace::pair::FileKind::other; }

bool has_device_files(const std::string& folder) {
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    if (is_device_file(at->path())) return true;
  }
  return false;
}

trace::session::TraceFiles files_of(const trace::session::DeviceFiles& pair) { return {.files = {pair.neff, pair.ntff}}; }

// Of ours the program and the core that it ran on; another maker's headers hold the name of some build's file, so theirs are called as
// the reader calls them.
std::string device_name(const trace::session::DeviceFiles& pair) {
  if (!pair.ours || pair.program.empty()) return fs::path(pair.ntff).stem().string();
  return pair.program + " nc" + std::to_string(pair.nc);
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

Result<std::vector<Library::Target>> Library::targets_of(const std::string& path, const std::string& name) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  if (!folder && is_device_file(path)) {
    LW_ASSIGN_OR_RETURN(const auto pair, trace::session::find_partner(path));
    return std::vector{Target{path, device_name(pair), files_of(pair), TraceKind::device}};
  }
  auto files = trace::session::trace_files(path);
  if (files.ok()) return std::vector{Target{path, name, std::move(*files), TraceKind::session}};
  // A folder without traces may hold device profiles alone.
  const auto pairs = folder ? trace::session::device_pairs(path) : files.status();
  if (!pairs.ok()) return has_device_files(path) ? pairs.status() : files.status();
  std::vector<Target> targets;
  for (const auto& pair : *pairs) {
    if (targets.size() < kMostCaptures) targets.push_back({pair.ntff, device_name(pair), files_of(pair), TraceKind::device});
  }
  return targets;
}

Result<std::shared_ptr<OpenTrace>> Library::open_target(const Target& target, bool remember) {
  LW_ASSIGN_OR_RETURN(std::string id, trace_id(target.files.files));
  if (target.launch && target.launch->site != trace::session::first_launch(target.files.files[1]).site) id = id_of_site(id, target.launch->site);
  std::shared_ptr<OpenTrace> trace, failed;  // ends its threads only after the lock is gone: they may wait for it
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(traces_.begin(), traces_.end(), [&](const auto& t) { return t->id() == id; });
    // A trace that failed is tried again.
    if (known != traces_.end() && (*known)->status().state != TraceState::failed) {
      trace = *known;
    } else {
      if (known != traces_.end()) failed = *known, traces_.erase(known);
      trace = std::make_shared<OpenTrace>(id, target.name, target.path, target.files, [this] { changed(); }, target.kind, target.launch);
      trace->start();
      traces_.push_back(trace);
    }
  }
  changed();
  // Being remembered is a comfort: a home that cannot be written must not keep a trace from being opened.
  if (remember) (void)state_->remember({target.path, target.name, id, utc_text(std::time(nullptr))}).ok();
  return trace;
}

Result<std::shared_ptr<OpenTrace>> Library::open_targets(const std::vector<Target>& targets, bool remember) {
  std::shared_ptr<OpenTrace> first;
  for (const Target& target : targets) {
    LW_ASSIGN_OR_RETURN(auto trace, open_target(target, remember));
    if (first == nullptr) first = std::move(trace);
  }
  return first;
}

Result<std::shared_ptr<OpenTrace>> Library::name_pair(const std::string& a, const std::string& b) {
  LW_ASSIGN_OR_RETURN(const std::string first, real_path(a));
  LW_ASSIGN_OR_RETURN(const std::string second, real_path(b));
  LW_ASSIGN_OR_RETURN(const auto pair, trace::session::pair_up(first, second));
  {
    const std::lock_guard lock(mutex_);
    named_.push_back(first);
    named_.push_back(second);
  }
  // Only where the two lie together can one of them be opened again by its path alone.
  const bool together = fs::path(first).parent_path() == fs::path(second).parent_path();
  return open_target({pair.ntff, device_name(pair), files_of(pair), TraceKind::device}, together);
}

Result<std::shared_ptr<OpenTrace>> Library::open_device(const trace::session::DeviceFiles& files, const trace::session::DeviceExecution& execution) {
  return open_target({files.ntff, device_name(files), files_of(files), TraceKind::device, execution.launch}, false);
}

Result<std::vector<std::shared_ptr<OpenTrace>>> Library::name(const std::string& path) {
  LW_ASSIGN_OR_RETURN(const std::string real, real_path(path));
  std::vector<std::string> targets;
  std::error_code error;
  if (!fs::is_directory(real, error) || is_capture_folder(real)) {
    targets.push_back(real);
  } else {
    const auto found = trace::session::trace_files(real);
    // Without traces there may be device profiles: targets_of finds them, or says what is missing.
    std::vector<std::string> captures;
    bool others = !found.ok();
    for (const std::string& file : found.ok() ? found->files : std::vector<std::string>()) {
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
    LW_ASSIGN_OR_RETURN(const auto found, targets_of(target, name_of(target)));
    LW_ASSIGN_OR_RETURN(auto trace, open_targets(found, true));
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
  LW_ASSIGN_OR_RETURN(const auto targets, targets_of(real, name_of(real)));
  // What lies in a folder that was named, links too, is what the user put there. Deeper down it may be a stranger's: no link leads out.
  if (std::find(named.begin(), named.end(), real) == named.end()) {
    for (const Target& target : targets) {
      for (const std::string& file : target.files.files) LW_RETURN_IF_ERROR(inside_one_of(named, file).status());
    }
  }
  return open_targets(targets, true);
}

Result<std::shared_ptr<OpenTrace>> Library::open_upload(const std::string& path, const std::string& name) {
  LW_ASSIGN_OR_RETURN(const auto targets, targets_of(path, name));
  return open_targets(targets, false);
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
