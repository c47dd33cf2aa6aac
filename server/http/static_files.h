// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The page's files, read once at the start: no request ever becomes a path.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "server/http/message.h"

namespace lanewise::server::http {

class StaticFiles {
 public:
  // A folder without index.html holds no page; every request is answered 503 then.
  explicit StaticFiles(const std::string& folder);

  bool empty() const { return files_.empty(); }
  Response get(const std::string& path) const;

 private:
  struct File {
    std::shared_ptr<const std::string> bytes;
    std::string type;
    bool hashed = false;  // the name holds a hash of the content
  };
  std::map<std::string, File> files_;  // by path: "/assets/x.js"
};

// LANEWISE_EXPLORER, else beside the executable: the Python package of its environment, else the build of the source tree.
std::string explorer_folder();

}  // namespace lanewise::server::http
