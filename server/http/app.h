// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// App: from a request to an answer. Checks who asks, then looks the path up in one list of routes (routes()); a route is a method, a
// path in which {} is one piece, and a function. Files of the page are what is left.
#pragma once

#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "server/http/auth.h"
#include "server/http/listener.h"
#include "server/http/message.h"
#include "server/http/static_files.h"
#include "server/library/library.h"
#include "server/library/uploads.h"
#include "server/wire/json_value.h"

namespace lanewise::server::http {

struct AppOptions {
  std::string version;
  std::string token;
  std::vector<std::string> allowed_hosts;
  std::string explorer;                   // folder of the page
  std::vector<std::string> source_roots;  // real paths
  uint64_t upload_limit = uint64_t{8} << 30;
  std::string python;                     // runs SQL; "" = there is none
  std::string study;                      // folder of the study's captures, offered on the home page; "" = none
};

class App {
 public:
  App(AppOptions options, library::Library* library, library::StateFolder* state, Listener* listener);

  Response handle(const Request& request);

  const AppOptions& options() const { return options_; }
  Auth& auth() { return auth_; }
  library::Library& library() { return *library_; }
  library::StateFolder& state() { return *state_; }
  library::Uploads& uploads() { return uploads_; }
  bool stopping() const { return listener_->stopping(); }
  // Since the end of the last request that somebody with the token made, or since the start; 0 while one is answered.
  std::chrono::seconds idle() const {
    if (asking_ > 0) return std::chrono::seconds(0);
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch() - last_asked_.load());
  }

 private:
  Response route(const Request& request);

  std::atomic<std::chrono::steady_clock::duration> last_asked_ = std::chrono::steady_clock::now().time_since_epoch();
  std::atomic<int> asking_ = 0;
  const AppOptions options_;
  library::Library* library_;
  library::StateFolder* state_;
  Listener* listener_;
  Auth auth_;
  StaticFiles files_;
  library::Uploads uploads_;
};

// What a route works on. `pieces`: what stands for each {} of its path.
struct Call {
  App& app;
  const Request& request;
  std::vector<std::string> pieces;

  // The body as JSON; an empty body is an empty object. At most 4 MiB.
  Result<wire::JsonValue> json() const;
};

struct Route {
  std::string_view method, path;
  Response (*answer)(Call& call);
};

// One list a file; app.cc puts them together.
std::span<const Route> library_routes();
std::span<const Route> timeline_routes();
std::span<const Route> event_routes();
std::span<const Route> table_routes();
std::span<const Route> selection_routes();
std::span<const Route> file_routes();
std::span<const Route> report_routes();
std::span<const Route> state_routes();
std::span<const Route> device_routes();

// The trace of pieces[0], as far as it is there.
struct TraceOf {
  std::shared_ptr<library::OpenTrace> trace;
  std::shared_ptr<const library::View> view;
};
// not_found: no such trace. cancelled (409): it is not there yet; `ready`: all of it must be there.
Result<TraceOf> trace_of(Call& call, bool ready);
// All of it, and it must be a session: invalid_argument of a device profile, which has no such answer.
Result<TraceOf> session_of(Call& call);

}  // namespace lanewise::server::http
