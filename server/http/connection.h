// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Connection: the bytes of one client. Reads requests, writes answers; every wait has a limit.
#pragma once

#include <string>

#include "server/http/listener.h"
#include "server/http/message.h"

namespace lanewise::server::http {

class Connection {
 public:
  // Does not own the socket.
  Connection(int fd, const std::atomic<bool>* stopping) : fd_(fd), stopping_(stopping) {}

  // Answers requests until the client or the server has enough.
  void run(const Handler& handler);

 private:
  class Body;
  // False: nothing (more) came, and nothing is to be answered.
  bool read_head(std::string* head);
  Result<Request> parse_head(std::string_view head);
  bool answer(const Request& request, Response response, bool keep);
  void linger();
  bool write(std::string_view bytes);
  // -1: gone, late or stopping; 0: the end.
  ssize_t receive(char* to, size_t most, int seconds);

  int fd_;
  const std::atomic<bool>* stopping_;
  std::string input_;  // read and not used yet
};

}  // namespace lanewise::server::http
