// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/listener.h"

#include <microhttpd.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "server/http/exchange.h"

namespace lanewise::server::http {
namespace {

// Connections that are taken only to be told that there are too many; the next ones wait in the kernel.
constexpr int kSpareConnections = 32;

}  // namespace

// What the library calls; an Exchange is what it keeps of a request.
struct Listener::Callbacks {

  static void connected(void* self, MHD_Connection*, void** context, MHD_ConnectionNotificationCode code) {
    Listener* listener = static_cast<Listener*>(self);
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) --listener->connections_;
    else if (listener->connections_++ >= kMaxConnections) *context = self;  // not null: one too many
  }

  // First of all, with the address as it was sent.
  static void* addressed(void* self, const char* target, MHD_Connection* connection) {
    return new Exchange(connection, static_cast<Listener*>(self), target == nullptr ? "" : target);
  }

  // Addresses are decoded by parse_target().
  static size_t unescape(void*, MHD_Connection*, char* text) { return std::strlen(text); }

  static MHD_Result called(void* self, MHD_Connection* connection, const char* url, const char* method, const char* version, const char* piece, size_t* size, void** context) {
    Listener* listener = static_cast<Listener*>(self);
    Exchange* exchange = static_cast<Exchange*>(*context);
    if (exchange->started()) {
      if (*size == 0) return exchange->finish();
      const size_t all = std::exchange(*size, 0);
      return exchange->receive({piece, all});
    }
    if (MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context != nullptr) {
      return exchange->refuse(error_response(503, "too many connections"));
    }
    listener->state_.wait(State::waiting);
    return listener->stopping() ? MHD_NO : exchange->start(listener->handler_, method, url, version);
  }

  static void ended(void*, MHD_Connection*, void** context, MHD_RequestTerminationCode code) {
    const Exchange* exchange = static_cast<Exchange*>(*context);
    if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK) exchange->linger();
    delete exchange;
    *context = nullptr;
  }
};

Listener::~Listener() {
  stop();
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

Status Listener::bind(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  errno = 0;
  // Not MHD_USE_POLL: its waits are cut to whole seconds, and the last part of one is spun away.
  daemon_ = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC, 0, nullptr, nullptr, &Callbacks::called, this,  //
                             MHD_OPTION_SOCK_ADDR, &address,                                                                                             //
                             MHD_OPTION_LISTEN_BACKLOG_SIZE, 128u,                                                                                       //
                             MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned>(kMaxConnections + kSpareConnections),                                    //
                             MHD_OPTION_CONNECTION_TIMEOUT, kIdleSeconds,                                                                                //
                             MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionMemory,                                                                      //
                             MHD_OPTION_STRICT_FOR_CLIENT, 1,                                                                                            //
                             MHD_OPTION_NOTIFY_CONNECTION, &Callbacks::connected, this,                                                                  //
                             MHD_OPTION_URI_LOG_CALLBACK, &Callbacks::addressed, this,                                                                   //
                             MHD_OPTION_UNESCAPE_CALLBACK, &Callbacks::unescape, nullptr,                                                                //
                             MHD_OPTION_NOTIFY_COMPLETED, &Callbacks::ended, this,                                                                       //
                             MHD_OPTION_END);
  if (daemon_ == nullptr) {
    return failed_precondition("port " + std::to_string(port) + " cannot be used" + (errno == 0 ? std::string() : std::string(": ") + std::strerror(errno)));
  }
  port_ = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT)->port;
  return ok_status();
}

void Listener::serve(Handler handler) {
  handler_ = std::move(handler);
  State waiting = State::waiting;
  if (state_.compare_exchange_strong(waiting, State::serving)) state_.notify_all();
  state_.wait(State::serving);
  MHD_stop_daemon(daemon_);
  daemon_ = nullptr;
}

void Listener::stop() {
  state_ = State::stopping;
  state_.notify_all();
}

}  // namespace lanewise::server::http
