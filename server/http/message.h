// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Request and Response of HTTP/1.1, as far as a local server needs it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace lanewise::server::http {

// The body of a request, read piece by piece.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  // Bytes read; 0 at the end. data_loss: the client went away, or its framing is wrong.
  virtual Result<size_t> read(char* to, size_t most) = 0;
  // What Content-Length says; nothing when the body comes in chunks.
  virtual std::optional<uint64_t> length() const = 0;
};

struct Request {
  std::string method;
  std::string target;  // as sent
  std::string path;    // decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;   // decoded
  std::vector<std::pair<std::string, std::string>> headers; // names in small letters
  BodyReader* body = nullptr;
  // Somebody still waits for the answer: the client is there, and the server does not stop. Looks, so not for tight loops.
  std::function<bool()> wanted;

  // "" when absent. Of several the first.
  const std::string& header(std::string_view name) const;
  std::optional<std::string> parameter(std::string_view name) const;
  // The whole body. out_of_range when it is longer.
  Result<std::string> read_body(size_t most) const;
};

// Where a streamed answer goes. False: the client is gone, or the server stops; the stream ends then.
using Write = std::function<bool(std::string_view)>;

struct Response {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::shared_ptr<const std::string> shared;      // instead of body
  // Instead of both; sent in chunks. False: it failed half way, and the client must see that it did not get all.
  std::function<bool(const Write& write)> stream;

  Response& header(std::string name, std::string value) {
    headers.emplace_back(std::move(name), std::move(value));
    return *this;
  }
};

Response json_response(std::string json);
Response frame_response(std::string bytes);
// {"error": sentence}
Response error_response(int status, std::string_view sentence);
// The one map from a Status to what the page is told.
Response error_response(const Status& status);

// Splits and decodes "/path?query". invalid_argument: a target that is none.
Status parse_target(std::string_view target, Request* request);
Result<std::string> percent_decode(std::string_view text, bool plus_is_blank);

}  // namespace lanewise::server::http
