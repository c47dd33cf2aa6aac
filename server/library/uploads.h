// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Uploads: files that the page sends, each in a folder of its own below the state folder, until this process ends.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/library/state_folder.h"

namespace lanewise::server::library {

class Uploads {
 public:
  // One file that comes in. What is not finished is removed.
  class Sink {
   public:
    Sink(Sink&& other) noexcept;
    Sink& operator=(Sink&&) = delete;
    ~Sink();
    // out_of_range: more than the limit; resource_exhausted: the disk is full.
    Status write(std::string_view bytes);
    // The path.
    Result<std::string> finish();

   private:
    friend class Uploads;
    Sink(Uploads* owner, std::string key, std::string path, std::FILE* file, uint64_t left) : owner_(owner), key_(std::move(key)), path_(std::move(path)), file_(file), left_(left) {}
    Uploads* owner_;
    std::string key_, path_;
    std::FILE* file_;
    uint64_t left_, written_ = 0;
  };

  explicit Uploads(StateFolder* state) : state_(state) {}
  ~Uploads();
  Uploads(const Uploads&) = delete;
  Uploads& operator=(const Uploads&) = delete;

  // `name`: a file name, or with `folder` a path below it. invalid_argument: one that leads elsewhere.
  Result<Sink> begin(const std::string& name, const std::string& folder, uint64_t limit);
  // Where the pieces of a folder are, and what it is called: its key, or the one folder that all are below ("ranks/a.json").
  // not_found.
  struct Kept { std::string path, name; };
  Result<Kept> folder_of(const std::string& folder) const;

 private:
  struct Folder {
    std::string path;
    uint64_t bytes = 0;  // all pieces together count for the limit
  };
  StateFolder* state_;
  mutable std::mutex mutex_;
  std::map<std::string, Folder> folders_;
  std::vector<std::string> made_;
};

}  // namespace lanewise::server::library
