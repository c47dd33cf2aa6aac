// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <cstdio>

namespace lanewise {

std::string_view status_code_name(StatusCode code) {
  switch (code) {
    case StatusCode::ok: return "ok";
    case StatusCode::invalid_argument: return "invalid_argument";
    case StatusCode::not_found: return "not_found";
    case StatusCode::out_of_range: return "out_of_range";
    case StatusCode::unimplemented: return "unimplemented";
    case StatusCode::resource_exhausted: return "resource_exhausted";
    case StatusCode::failed_precondition: return "failed_precondition";
    case StatusCode::data_loss: return "data_loss";
    case StatusCode::deadline_exceeded: return "deadline_exceeded";
    case StatusCode::cancelled: return "cancelled";
    case StatusCode::internal: return "internal";
  }
  return "unknown";
}

const std::string& Status::message() const {
  static const std::string empty;
  return rep_ ? rep_->message : empty;
}

std::string Status::to_string() const {
  if (ok()) return "ok";
  return std::string(status_code_name(rep_->code)) + ": " + rep_->message;
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return *this;
  return {rep_->code, std::string(context) + ": " + rep_->message};
}

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  std::fprintf(stderr, "lanewise: internal error at %s:%d: %s (%s)\n", file, line, message.c_str(), condition);
  std::abort();
}

}  // namespace lanewise
