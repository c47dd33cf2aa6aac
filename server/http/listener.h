// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Listener: an HTTP/1.1 server on 127.0.0.1. A connection has a thread of its own (cheap: it mostly sleeps), so a slow client or an
// event stream holds up nobody; beyond kMaxConnections a new one gets 503. Idle connections are closed after kIdleSeconds.
//
// Written here, since the library that Debian has (cpp-httplib) comes as a shared object that needs OpenSSL, matches every path with
// std::regex (a long one exhausts the stack) and cannot end its streams at a stop.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/status.h"
#include "server/http/message.h"

namespace lanewise::server::http {

using Handler = std::function<Response(const Request&)>;

class Listener {
 public:
  static constexpr int kMaxConnections = 256;
  static constexpr int kIdleSeconds = 5;      // between two requests of a connection
  static constexpr int kHeaderSeconds = 10;   // for the head of a request
  static constexpr int kTransferSeconds = 30; // without one byte of a body going through
  static constexpr size_t kMaxHead = 32 << 10;

  Listener() = default;
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Binds to 127.0.0.1. port 0: any. failed_precondition: it is taken.
  Status bind(int port);
  int port() const { return port_; }
  // Answers until stop(). `handler` is called from many threads.
  void serve(Handler handler);
  // From any thread: ends serve(), closes every connection, lets handlers that run end.
  void stop();
  bool stopping() const { return stopping_; }

 private:
  friend class Connection;
  void run_connection(int fd);

  Handler handler_;
  int socket_ = -1, port_ = 0;
  int wake_[2] = {-1, -1};  // a pipe: stop() writes, the accept loop reads
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<int> connections_;
};

}  // namespace lanewise::server::http
