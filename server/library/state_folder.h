// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// StateFolder: what is kept between runs, in $XDG_STATE_HOME/lanewise or ~/.local/state/lanewise: recent traces, what the page
// saved, uploads. Files are replaced as a whole, so a reader never sees half of one; two servers at once may share the folder.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"

namespace lanewise::server::library {

struct RecentTrace {
  std::string path, name, id, when;  // when: UTC, "2026-11-30T09:36:00Z"
};

class StateFolder {
 public:
  // "": nothing is kept, every write is a failed_precondition.
  explicit StateFolder(std::string folder) : folder_(std::move(folder)) {}
  // By the environment.
  static std::string default_path();

  const std::string& path() const { return folder_; }

  std::vector<RecentTrace> recent() const;
  // Moves it to the front; at most kMaxRecent stay.
  Status remember(const RecentTrace& trace);

  // Keys: letters, digits, '-', '_', at most 80. Values: JSON text.
  static bool is_key(std::string_view key);
  // "null" when nothing was saved.
  Result<std::string> load(const std::string& key) const;
  Status save(const std::string& key, std::string_view json);

  // A folder of its own for one upload; its name tells process and machine, since a home may be that of many
  // machines or containers. Folders of processes of this one that are gone are removed.
  Result<std::string> make_upload_folder();

 private:
  static constexpr size_t kMaxRecent = 40;
  std::vector<RecentTrace> read_recent() const;
  Status write(const std::string& name, std::string_view text) const;

  const std::string folder_;
  mutable std::mutex mutex_;
};

}  // namespace lanewise::server::library
