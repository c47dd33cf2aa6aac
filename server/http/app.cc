// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/app.h"

#include <array>

namespace lanewise::server::http {
namespace {

constexpr size_t kMostJson = 4 << 20;

// "/api/trace/{}/lanes" against a path; {} takes one piece, which may not be empty.
bool fits(std::string_view pattern, std::string_view path, std::vector<std::string>* pieces) {
  pieces->clear();
  while (true) {
    const size_t p = pattern.find('/', 1), q = path.find('/', 1);
    const std::string_view a = pattern.substr(0, p), b = path.substr(0, q);
    if (a == "/{}") {
      if (b.size() < 2) return false;
      pieces->emplace_back(b.substr(1));
    } else if (a != b) {
      return false;
    }
    if ((p == pattern.npos) != (q == path.npos)) return false;
    if (p == pattern.npos) return true;
    pattern.remove_prefix(p);
    path.remove_prefix(q);
  }
}

}  // namespace

App::App(AppOptions options, library::Library* library, library::StateFolder* state, Listener* listener)
    : options_(std::move(options)),
      library_(library),
      state_(state),
      listener_(listener),
      auth_(options_.token, options_.allowed_hosts),
      files_(options_.explorer),
      uploads_(state) {
  if (!options_.study.empty()) library_->offer(options_.study);
}

Response App::handle(const Request& request) {
  std::optional<Response> refused = auth_.check(request);
  if (!refused) ++asking_;
  Response response = refused ? std::move(*refused) : route(request);
  if (!refused) {
    last_asked_ = std::chrono::steady_clock::now().time_since_epoch();
    --asking_;
  }
  response.header("X-Content-Type-Options", "nosniff");
  if (response.status != 303) response.header("Referrer-Policy", "no-referrer");
  return response;
}

Response App::route(const Request& request) {
  if (!request.path.starts_with("/api/")) {
    if (request.method != "GET" && request.method != "HEAD") return error_response(405, "the page's files can only be read");
    return files_.get(request.path);
  }
  const std::string_view method = request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
  bool known = false;
  for (const auto routes : {library_routes(), timeline_routes(), event_routes(), table_routes(), selection_routes(), file_routes(), report_routes(), state_routes(), device_routes()}) {
    for (const Route& route : routes) {
      Call call{*this, request, {}};
      if (!fits(route.path, request.path, &call.pieces)) continue;
      known = true;
      if (route.method == method) return route.answer(call);
    }
  }
  return known ? error_response(405, "this address takes another method") : error_response(404, "no such address");
}

Result<wire::JsonValue> Call::json() const {
  LW_ASSIGN_OR_RETURN(const std::string text, request.read_body(kMostJson));
  if (text.empty()) return wire::JsonValue::parse("{}");
  LW_ASSIGN_OR_RETURN(wire::JsonValue value, wire::JsonValue::parse(text));
  if (!value.is(wire::JsonValue::Kind::object)) return invalid_argument("the request must be a JSON object");
  return value;
}

Result<TraceOf> trace_of(Call& call, bool ready) {
  TraceOf found;
  found.trace = call.app.library().find(call.pieces[0]);
  if (found.trace == nullptr) return not_found("no open trace has the id " + call.pieces[0]);
  found.view = found.trace->view();
  const auto status = found.trace->status();
  if (status.state == library::TraceState::failed) return not_found("this trace could not be opened: " + status.error);
  if (found.view == nullptr || (ready && !found.view->ready())) return Status(StatusCode::cancelled, "this trace is still being read");
  return found;
}

Result<TraceOf> session_of(Call& call) {
  LW_ASSIGN_OR_RETURN(TraceOf found, trace_of(call, true));
  if (found.view->model == nullptr) return invalid_argument("this is a device profile; only traces of a session answer that");
  return found;
}

}  // namespace lanewise::server::http
