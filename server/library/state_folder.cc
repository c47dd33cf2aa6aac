// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/library/state_folder.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json_writer.h"
#include "server/wire/json_value.h"

namespace lanewise::server::library {
namespace {

namespace fs = std::filesystem;
constexpr const char* kRecentFile = "recent.json";

Result<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_found("no such file: " + path.string());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::string StateFolder::default_path() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && state[0] == '/') return std::string(state) + "/lanewise";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/') return std::string(home) + "/.local/state/lanewise";
  return {};
}

Status StateFolder::write(const std::string& name, std::string_view text) const {
  if (folder_.empty()) return failed_precondition("there is no folder to keep state in: HOME and XDG_STATE_HOME are not set");
  std::error_code error;
  const fs::path path = fs::path(folder_) / name;
  fs::create_directories(path.parent_path(), error);
  if (error) return failed_precondition("cannot make " + path.parent_path().string() + ": " + error.message());
  ::chmod(folder_.c_str(), 0700);
  const fs::path draft = path.string() + "." + std::to_string(::getpid()) + ".new";
  {
    std::ofstream file(draft, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
      fs::remove(draft, error);
      return resource_exhausted("cannot write " + draft.string());
    }
  }
  fs::rename(draft, path, error);
  if (error) return failed_precondition("cannot write " + path.string() + ": " + error.message());
  return ok_status();
}

std::vector<RecentTrace> StateFolder::read_recent() const {
  std::vector<RecentTrace> recent;
  if (folder_.empty()) return recent;
  const auto text = read_file(fs::path(folder_) / kRecentFile);
  if (!text.ok()) return recent;
  const auto json = wire::JsonValue::parse(*text);
  if (!json.ok()) return recent;  // written by somebody else: the next remember() replaces it
  const wire::JsonValue* list = json->find("recent");
  if (list == nullptr) return recent;
  for (const auto& item : list->items()) {
    RecentTrace trace{item.text_of("path"), item.text_of("name"), item.text_of("id"), item.text_of("when")};
    if (!trace.path.empty()) recent.push_back(std::move(trace));
  }
  return recent;
}

std::vector<RecentTrace> StateFolder::recent() const {
  const std::lock_guard lock(mutex_);
  return read_recent();
}

Status StateFolder::remember(const RecentTrace& trace) {
  const std::lock_guard lock(mutex_);
  std::vector<RecentTrace> recent = read_recent();
  std::erase_if(recent, [&](const RecentTrace& r) { return r.path == trace.path; });
  recent.insert(recent.begin(), trace);
  if (recent.size() > kMaxRecent) recent.resize(kMaxRecent);
  JsonWriter w(1);
  w.begin_object().member("schema", 1).key("recent").begin_array();
  for (const RecentTrace& r : recent) {
    w.begin_object().member("path", r.path).member("name", r.name).member("id", r.id).member("when", r.when).end_object();
  }
  w.end_array().end_object();
  return write(kRecentFile, w.text());
}

bool StateFolder::is_key(std::string_view key) {
  return !key.empty() && key.size() <= 80 && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

Result<std::string> StateFolder::load(const std::string& key) const {
  if (!is_key(key)) return invalid_argument("a key is made of letters, digits, - and _");
  const std::lock_guard lock(mutex_);
  if (folder_.empty()) return std::string("null");
  auto text = read_file(fs::path(folder_) / "page" / (key + ".json"));
  if (!text.ok() || !wire::JsonValue::parse(*text).ok()) return std::string("null");
  return text;
}

Status StateFolder::save(const std::string& key, std::string_view json) {
  if (!is_key(key)) return invalid_argument("a key is made of letters, digits, - and _");
  if (const auto value = wire::JsonValue::parse(json); !value.ok()) return value.status();
  const std::lock_guard lock(mutex_);
  return write("page/" + key + ".json", json);
}

Result<std::string> StateFolder::make_upload_folder() {
  if (folder_.empty()) return failed_precondition("there is no folder to keep uploads in: HOME and XDG_STATE_HOME are not set");
  std::error_code error;
  const fs::path uploads = fs::path(folder_) / "uploads";
  fs::create_directories(uploads, error);
  if (error) return failed_precondition("cannot make " + uploads.string() + ": " + error.message());
  ::chmod(folder_.c_str(), 0700);
  char host[256] = "";
  ::gethostname(host, sizeof(host) - 1);
  const std::string here = "-" + std::string(host) + "-";
  auto at = fs::directory_iterator(uploads, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    const auto owner = static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10));
    std::error_code ignored;
    if (owner > 0 && name.starts_with(std::to_string(owner) + here) && owner != ::getpid() && ::kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(at->path(), ignored);
  }
  std::string pattern = (uploads / (std::to_string(::getpid()) + here + "XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) return failed_precondition("cannot make a folder in " + uploads.string());
  return pattern;
}

}  // namespace lanewise::server::library
