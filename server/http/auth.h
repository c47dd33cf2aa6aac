// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Who may ask. The token proves that somebody read the first link; the cookie that his browser did; Host that no other name
// leads here (rebinding); Origin, and Sec-Fetch-Site where a browser sends it, that no other page asks in his name.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/message.h"

namespace lanewise::server::http {

class Auth {
 public:
  Auth(std::string token, std::vector<std::string> allowed_hosts) : token_(std::move(token)), allowed_hosts_(std::move(allowed_hosts)) {}

  // 64 hexadecimal digits from the system's random numbers.
  static std::string make_token();
  // Cookies do not know ports: the name does.
  void set_port(int port) { cookie_ = "lanewise_" + std::to_string(port); }
  const std::string& token() const { return token_; }
  // Stands for the token in one link, once: for a link that others may see, as all users of a machine see the arguments of a browser.
  std::string make_ticket();

  // Nothing: go on. Else what to answer: 303 with the cookie, 401, 403.
  std::optional<Response> check(const Request& request) const;

 private:
  bool host_allowed(std::string_view host) const;
  bool is_token(std::string_view text) const;
  bool take_ticket(std::string_view text) const;
  bool has_cookie(const Request& request) const;

  std::string token_, cookie_;
  std::vector<std::string> allowed_hosts_;
  mutable std::mutex mutex_;
  mutable std::string ticket_;  // "" = none, or taken
};

// "[::1]:80" -> "[::1]", "a.b:7424" -> "a.b". "" when it is no host.
std::string_view name_of_host(std::string_view host);

}  // namespace lanewise::server::http
