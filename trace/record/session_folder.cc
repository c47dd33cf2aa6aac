// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/session_folder.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace lanewise::trace::record {
namespace {

Status folder_error(const std::string& path, int error) {
  const std::string text = "cannot make the capture folder " + path + ": " + std::strerror(error);
  if (error == ENOSPC || error == EDQUOT) return resource_exhausted(text);
  if (error == EACCES || error == EPERM || error == EROFS)
    return failed_precondition(text + "; choose a writable profile_output_dir");
  return invalid_argument(text);
}

std::string timestamp(int64_t ns) {
  const time_t seconds = ns / 1'000'000'000;
  tm utc{};
  gmtime_r(&seconds, &utc);
  char text[64];
  std::snprintf(text, sizeof text, "%04d%02d%02d_%02d%02d%02d_%06d", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                utc.tm_hour, utc.tm_min, utc.tm_sec, static_cast<int>(ns % 1'000'000'000 / 1000));
  return text;
}

}  // namespace

std::string machine_id() {
  std::string seed;
  std::ifstream("/etc/machine-id") >> seed;
  if (seed.empty()) {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    seed = host;
  }
  uint64_t h = 14695981039346656037ull;   // FNV-1a
  for (unsigned char c : "lanewise:" + seed) h = (h ^ c) * 1099511628211ull;
  char text[32];
  std::snprintf(text, sizeof text, "0%016llx", static_cast<unsigned long long>(h));
  return text;
}

Result<std::string> make_session_folder(const std::string& profile_output_dir, int64_t now_ns) {
  if (profile_output_dir.empty()) return invalid_argument("profile_output_dir is empty; give a folder for the capture");
  std::error_code error;
  std::filesystem::path parent = std::filesystem::absolute(profile_output_dir, error).lexically_normal();
  if (error) return folder_error(profile_output_dir, error.value());
  parent /= "i-" + machine_id() + "_pid_" + std::to_string(getpid());
  std::filesystem::create_directories(parent, error);
  if (error) return folder_error(parent, error.value());
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::string folder = parent / timestamp(now_ns + attempt * 1000);
    if (mkdir(folder.c_str(), 0777) == 0) return folder;
    if (errno != EEXIST) return folder_error(folder, errno);
  }
  return folder_error(parent / timestamp(now_ns), EEXIST);
}

}  // namespace lanewise::trace::record
