// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/static_files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lanewise::server::http {
namespace {

namespace fs = std::filesystem;

std::string type_of(const fs::path& path) {
  const std::string ext = path.extension().string();
  if (ext == ".html") return "text/html; charset=utf-8";
  if (ext == ".js" || ext == ".mjs") return "text/javascript; charset=utf-8";
  if (ext == ".css") return "text/css; charset=utf-8";
  if (ext == ".json" || ext == ".map") return "application/json; charset=utf-8";
  if (ext == ".svg") return "image/svg+xml";
  if (ext == ".png") return "image/png";
  if (ext == ".ico") return "image/x-icon";
  if (ext == ".woff2") return "font/woff2";
  if (ext == ".wasm") return "application/wasm";
  if (ext == ".txt") return "text/plain; charset=utf-8";
  return "application/octet-stream";
}

constexpr std::string_view kPolicy =
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; worker-src 'self' blob:; frame-ancestors 'self'";

}  // namespace

StaticFiles::StaticFiles(const std::string& folder) {
  std::error_code error;
  if (folder.empty() || !fs::exists(fs::path(folder) / "index.html", error)) return;
  auto at = fs::recursive_directory_iterator(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored)) continue;
    std::ifstream file(at->path(), std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    const std::string path = "/" + at->path().lexically_relative(folder).generic_string();
    // The bundler puts a hash into the names of what it puts there.
    files_[path] = {std::make_shared<const std::string>(bytes.str()), type_of(at->path()), path.starts_with("/assets/")};
  }
  if (const auto index = files_.find("/index.html"); index != files_.end()) files_["/"] = index->second;
}

Response StaticFiles::get(const std::string& path) const {
  if (files_.empty()) {
    return error_response(503, "the page is not installed: run ./run, or point LANEWISE_EXPLORER to a build of explorer/; the API under api/ answers");
  }
  const auto at = files_.find(path);
  if (at == files_.end()) return error_response(404, "no such address");
  Response response;
  response.shared = at->second.bytes;
  response.header("Content-Type", at->second.type);
  response.header("Cache-Control", at->second.hashed ? "private, max-age=31536000, immutable" : "no-cache");
  response.header("Content-Security-Policy", std::string(kPolicy));
  return response;
}

std::string explorer_folder() {
  if (const char* named = std::getenv("LANEWISE_EXPLORER")) return named;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const auto has_page = [](const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / "index.html", ignored);
  };
  // .venv/bin/lanewise -> .venv/lib/python3.x/site-packages/lanewise/explorer
  auto at = fs::directory_iterator(self.parent_path().parent_path() / "lib", error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const fs::path folder = at->path() / "site-packages" / "lanewise" / "explorer";
    if (at->path().filename().string().starts_with("python3") && has_page(folder)) return folder.string();
  }
  // build/tools/lanewise -> explorer/dist
  const fs::path built = self.parent_path().parent_path().parent_path() / "explorer" / "dist";
  return has_page(built) ? built.string() : std::string();
}

}  // namespace lanewise::server::http
