// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Listener: an HTTP/1.1 server on 127.0.0.1, by GNU libmicrohttpd. A connection has a thread of its own (cheap: it mostly sleeps), so
// a slow client or an event stream holds up nobody; a connection beyond kMaxConnections gets 503.
#pragma once

#include <atomic>
#include <functional>

#include "base/status.h"
#include "server/http/message.h"

struct MHD_Daemon;

namespace lanewise::server::http {

using Handler = std::function<Response(const Request&)>;

class Listener {
 public:
  static constexpr int kMaxConnections = 256;
  static constexpr unsigned kIdleSeconds = 30;           // without a byte either way, while no handler works
  static constexpr size_t kConnectionMemory = 64 << 10;  // a head must fit, with the library's lists of it

  Listener() = default;
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Binds to 127.0.0.1. port 0: any. failed_precondition: it is taken.
  Status bind(int port);
  int port() const { return port_; }
  // Answers until stop(); who came since bind() has waited. `handler` is called from many threads.
  void serve(Handler handler);
  // From any thread: ends serve(), closes every connection, lets handlers that run end.
  void stop();
  bool stopping() const { return state_ == State::stopping; }

 private:
  enum class State { waiting, serving, stopping };
  struct Callbacks;

  MHD_Daemon* daemon_ = nullptr;
  int port_ = 0;
  Handler handler_;
  std::atomic<State> state_ = State::waiting;
  std::atomic<int> connections_ = 0;
};

}  // namespace lanewise::server::http
