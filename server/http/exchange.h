// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Exchange: one request and its answer, between libmicrohttpd and a Handler.
//
// The library pushes a body and pulls an answer, always on the thread of the connection; a Handler pulls the body and pushes a
// stream. Where both meet on one thread nothing is needed: a request without a body, or with one that Handoff can hold, and an
// answer from memory. A longer body has its handler on a second thread, a stream its writer; a Handoff lies between.
#pragma once

#include <microhttpd.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "server/http/handoff.h"
#include "server/http/listener.h"
#include "server/http/message.h"

namespace lanewise::server::http {

// All but read() and length() are called on the thread of the connection.
class Exchange : public BodyReader {
 public:
  Exchange(MHD_Connection* connection, const Listener* listener, std::string target);
  // Gone in the middle or answered: ends what still runs.
  ~Exchange() override;

  bool started() const { return started_; }
  // The head is there. `url` and `version` lie where they were read.
  MHD_Result start(const Handler& handler, std::string method, const char* url, const char* version);
  // Answers at the head; the library closes the connection then.
  MHD_Result refuse(Response response);
  // A piece of the body.
  MHD_Result receive(std::string_view piece);
  // The body is complete, or there is none.
  MHD_Result finish();
  // After the last byte of an answer that came before the end of the body.
  void linger() const;

  Result<size_t> read(char* to, size_t most) override;
  std::optional<uint64_t> length() const override { return length_; }

 private:
  Status read_head(const char* url, const char* version);
  MHD_Result answer(Response response);
  // An answer; or, with `or_asked`, nothing: the handler wants the body first.
  std::optional<Response> wait_for_handler(bool or_asked);
  static ssize_t next(void* self, uint64_t offset, char* to, size_t most);

  MHD_Connection* connection_;
  const Listener* listener_;
  const Handler* handler_ = nullptr;
  int socket_;
  bool started_ = false, early_ = false;
  Request request_;
  std::optional<uint64_t> length_ = 0;  // nothing: in chunks
  Response response_;

  Handoff body_, stream_;
  std::thread handler_thread_, stream_thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool asked_ = false;              // the handler reads the body
  std::optional<Response> result_;  // of handler_thread_
};

}  // namespace lanewise::server::http
