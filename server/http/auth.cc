// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/auth.h"

#include <sys/random.h>

#include <algorithm>

namespace lanewise::server::http {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// The time it takes does not depend on how much of a guess is right.
bool is_same(std::string_view guess, std::string_view secret) {
  if (guess.size() != secret.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < guess.size(); ++i) difference |= static_cast<unsigned char>(guess[i] ^ secret[i]);
  return difference == 0;
}

// The address without the token, relative, so that a path prefix stays: the last piece of the path and the other parameters.
std::string without_token(const Request& request) {
  const std::string_view target = request.target;
  const size_t mark = target.find('?');
  const std::string_view path = target.substr(0, mark);
  std::string out = "./" + std::string(path.substr(path.rfind('/') + 1));
  std::string_view rest = target.substr(mark + 1);
  char separator = '?';
  while (!rest.empty()) {
    const size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    if (pair.empty() || pair == "token" || pair.starts_with("token=")) continue;
    out += separator;
    out += pair;
    separator = '&';
  }
  return out;
}

}  // namespace

std::string Auth::make_token() {
  unsigned char bytes[32];
  size_t done = 0;
  while (done < sizeof(bytes)) {
    const ssize_t got = ::getrandom(bytes + done, sizeof(bytes) - done, 0);
    LW_CHECK(got > 0 || errno == EINTR, "the system gives random numbers");
    if (got > 0) done += static_cast<size_t>(got);
  }
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string_view name_of_host(std::string_view host) {
  std::string_view name = host, port;
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    if (end == host.npos) return {};
    name = host.substr(0, end + 1);
    port = host.substr(end + 1);
  } else if (const size_t colon = host.find(':'); colon != host.npos) {
    name = host.substr(0, colon);
    port = host.substr(colon);
  }
  if (!port.empty() && (port.front() != ':' || port.size() > 6 || port.find_first_not_of("0123456789", 1) != port.npos)) return {};
  return name;
}

bool Auth::host_allowed(std::string_view host) const {
  const std::string name = lower(name_of_host(host));
  if (name.empty()) return false;
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") return true;
  return std::any_of(allowed_hosts_.begin(), allowed_hosts_.end(), [&](const std::string& allowed) { return lower(name_of_host(allowed)) == name; });
}

bool Auth::is_token(std::string_view text) const { return is_same(text, token_); }

std::string Auth::make_ticket() {
  const std::lock_guard lock(mutex_);
  return ticket_ = make_token();
}

bool Auth::take_ticket(std::string_view text) const {
  const std::lock_guard lock(mutex_);
  if (ticket_.empty() || !is_same(text, ticket_)) return false;
  ticket_.clear();
  return true;
}

bool Auth::has_cookie(const Request& request) const {
  for (const auto& [name, value] : request.headers) {
    if (name != "cookie") continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const size_t end = rest.find(';');
      std::string_view pair = rest.substr(0, end);
      rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
      while (pair.starts_with(' ')) pair.remove_prefix(1);
      const size_t equals = pair.find('=');
      if (equals != pair.npos && pair.substr(0, equals) == cookie_ && is_token(pair.substr(equals + 1))) return true;
    }
  }
  return false;
}

std::optional<Response> Auth::check(const Request& request) const {
  const std::string& host = request.header("host");
  if (!host_allowed(host)) {
    return error_response(403, "this server answers to loopback names only; allow others with --allow-host NAME");
  }
  for (const auto& [name, value] : request.headers) {
    if (name == "origin" && lower(value) != "http://" + lower(host) && lower(value) != "https://" + lower(host)) {
      return error_response(403, "another page may not ask this server");
    }
  }
  // A page on another port of this host has the cookie sent along; a browser tells that it is another page.
  const std::string& site = request.header("sec-fetch-site");
  const bool of_page = site.empty() || site == "same-origin" || site == "none";
  if (!of_page && (request.method != "GET" || request.path.starts_with("/api/"))) return error_response(403, "another page may not ask this server");

  const std::string& authorization = request.header("authorization");
  if (authorization.starts_with("Bearer ") && is_token(std::string_view(authorization).substr(7))) return std::nullopt;
  if (const auto token = request.parameter("token"); token && (request.method == "GET" || request.method == "HEAD")) {
    if (!is_token(*token) && !(request.method == "GET" && take_ticket(*token))) return error_response(401, "this link is not of this run of the server; `lanewise open` prints the right one");
    Response response;
    response.status = 303;
    response.header("Location", without_token(request)).header("Cache-Control", "no-store").header("Referrer-Policy", "no-referrer");
    response.header("Set-Cookie", cookie_ + "=" + token_ + "; HttpOnly; SameSite=Strict; Path=/");
    return response;
  }
  if (has_cookie(request)) return std::nullopt;
  return error_response(401, "open the link that `lanewise open` printed: it has the token that lets this browser in");
}

}  // namespace lanewise::server::http
