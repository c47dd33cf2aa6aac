// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/message.h"

#include <algorithm>

#include "base/json_writer.h"
#include "server/wire/frame.h"

namespace lanewise::server::http {

const std::string& Request::header(std::string_view name) const {
  static const std::string none;
  const auto at = std::find_if(headers.begin(), headers.end(), [&](const auto& h) { return h.first == name; });
  return at == headers.end() ? none : at->second;
}

std::optional<std::string> Request::parameter(std::string_view name) const {
  const auto at = std::find_if(query.begin(), query.end(), [&](const auto& p) { return p.first == name; });
  return at == query.end() ? std::nullopt : std::optional(at->second);
}

Result<std::string> Request::read_body(size_t most) const {
  std::string text;
  if (body == nullptr) return text;
  if (body->length() && *body->length() > most) return out_of_range("the request is longer than " + std::to_string(most) + " bytes");
  char buffer[16 << 10];
  while (true) {
    LW_ASSIGN_OR_RETURN(const size_t got, body->read(buffer, sizeof(buffer)));
    if (got == 0) return text;
    if (text.size() + got > most) return out_of_range("the request is longer than " + std::to_string(most) + " bytes");
    text.append(buffer, got);
  }
}

Response json_response(std::string json) {
  Response response;
  response.body = std::move(json);
  response.header("Content-Type", "application/json; charset=utf-8").header("Cache-Control", "no-store");
  return response;
}

Response frame_response(std::string bytes) {
  Response response;
  response.body = std::move(bytes);
  response.header("Content-Type", std::string(wire::kFrameType)).header("Cache-Control", "no-store");
  return response;
}

Response error_response(int status, std::string_view sentence) {
  JsonWriter w;
  w.begin_object().member("error", sentence).end_object();
  Response response = json_response(w.text());
  response.status = status;
  return response;
}

Response error_response(const Status& status) {
  switch (status.code()) {
    case StatusCode::invalid_argument: return error_response(400, status.message());
    case StatusCode::not_found: return error_response(404, status.message());
    case StatusCode::out_of_range: return error_response(413, status.message());
    case StatusCode::failed_precondition: return error_response(403, status.message());
    case StatusCode::data_loss: return error_response(400, status.message());
    case StatusCode::unimplemented: return error_response(501, status.message());
    case StatusCode::cancelled: return error_response(409, status.message());
    default: return error_response(500, status.message());
  }
}

Result<std::string> percent_decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; };
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || digit(text[i + 1]) < 0 || digit(text[i + 2]) < 0) return invalid_argument("a % in the address is followed by no number");
      c = static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    }
    if (c == '\0') return invalid_argument("the address holds a zero byte");
    out += c;
  }
  return out;
}

Status parse_target(std::string_view target, Request* request) {
  if (target.empty() || target.front() != '/') return invalid_argument("the address must begin with /");
  request->target = target;
  const size_t mark = target.find('?');
  LW_ASSIGN_OR_RETURN(request->path, percent_decode(target.substr(0, mark), false));
  if (mark == target.npos) return ok_status();
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    LW_ASSIGN_OR_RETURN(std::string name, percent_decode(pair.substr(0, equals), true));
    std::string value;
    if (equals != pair.npos) {
      LW_ASSIGN_OR_RETURN(value, percent_decode(pair.substr(equals + 1), true));
    }
    request->query.emplace_back(std::move(name), std::move(value));
  }
  return ok_status();
}

}  // namespace lanewise::server::http
