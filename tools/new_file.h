// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A file that appears under its name only when all of it is written. Until then it is NAME.part, and goes away with a failure or Ctrl-C.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "trace/session/session.h"

namespace lanewise::tools {

class NewFile {
 public:
  // invalid_argument: the name belongs to a file of `inputs`, which the new one would destroy, or to something that is no regular
  // file (a device, a pipe, a folder); or nothing can be written there.
  static Result<NewFile> create(const std::filesystem::path& path, const std::vector<std::string>& inputs);
  static Result<NewFile> create(const std::filesystem::path& path, const trace::session::Session& inputs);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  // resource_exhausted: the disk is full. The reason of the system is in the message.
  Status write(std::string_view bytes);
  Status close();
  // For writers with a buffer of their own; nothing else may be written then.
  int descriptor() const;

 private:
  explicit NewFile(std::filesystem::path path);
  std::filesystem::path path_, partial_;
  std::FILE* file_ = nullptr;
};

}  // namespace lanewise::tools
