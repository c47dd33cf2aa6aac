// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>

namespace lanewise::server::http {
namespace {

using Clock = std::chrono::steady_clock;

// How much of a body that nobody read is swallowed, so that the client sees the answer instead of a broken connection.
constexpr uint64_t kMostDrained = 1 << 20;
constexpr size_t kMostHeaders = 100;
constexpr int kLingerSeconds = 2;

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 303: return "See Other";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "Content Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    default: return "Internal Server Error";
  }
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

// By Content-Length or in chunks. A client that waits for 100 Continue gets it at the first read.
class Connection::Body : public BodyReader {
 public:
  Body(Connection* connection, std::optional<uint64_t> length, bool chunked, bool expects)
      : connection_(connection), length_(length), chunked_(chunked), expects_(expects), left_(chunked ? 0 : length.value_or(0)) {}

  std::optional<uint64_t> length() const override { return chunked_ ? std::nullopt : std::optional(length_.value_or(0)); }
  bool at_end() const { return chunked_ ? ended_ : left_ == 0; }
  bool waiting() const { return expects_ && !at_end(); }

  Result<size_t> read(char* to, size_t most) override {
    if (at_end() || most == 0) return size_t{0};
    if (expects_) {
      expects_ = false;
      if (!connection_->write("HTTP/1.1 100 Continue\r\n\r\n")) return data_loss("the client is gone");
    }
    if (chunked_ && left_ == 0) {
      LW_RETURN_IF_ERROR(next_chunk());
      if (ended_) return size_t{0};
    }
    const ssize_t got = connection_->receive(to, static_cast<size_t>(std::min<uint64_t>(most, left_)), Listener::kTransferSeconds);
    if (got <= 0) return data_loss("the client stopped in the middle of its request");
    left_ -= static_cast<uint64_t>(got);
    if (chunked_ && left_ == 0) {
      std::string line;
      LW_RETURN_IF_ERROR(read_line(&line));
      if (!line.empty()) return data_loss("a chunk of the request is longer than it says");
    }
    return static_cast<size_t>(got);
  }

 private:
  Status read_line(std::string* line) {
    line->clear();
    while (line->size() < 1000) {
      char c = 0;
      if (connection_->receive(&c, 1, Listener::kTransferSeconds) != 1) return data_loss("the client stopped in the middle of its request");
      if (c == '\n') {
        if (!line->empty() && line->back() == '\r') line->pop_back();
        return ok_status();
      }
      *line += c;
    }
    return data_loss("a line between the chunks of the request is too long");
  }
  Status next_chunk() {
    std::string line;
    LW_RETURN_IF_ERROR(read_line(&line));
    const std::string_view size = trimmed(std::string_view(line).substr(0, line.find(';')));
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), left_, 16);
    if (size.empty() || error != std::errc() || end != size.data() + size.size() || left_ > (uint64_t{1} << 50)) {
      left_ = 0;
      return data_loss("the request has a chunk without a size");
    }
    while (left_ == 0) {  // the last chunk: trailers up to an empty line
      LW_RETURN_IF_ERROR(read_line(&line));
      if (!line.empty()) continue;
      ended_ = true;
      break;
    }
    return ok_status();
  }

  Connection* connection_;
  std::optional<uint64_t> length_;
  bool chunked_, expects_, ended_ = false;
  uint64_t left_;
};

ssize_t Connection::receive(char* to, size_t most, int seconds) {
  if (!input_.empty()) {
    const size_t n = std::min(most, input_.size());
    std::copy_n(input_.data(), n, to);
    input_.erase(0, n);
    return static_cast<ssize_t>(n);
  }
  const auto until = Clock::now() + std::chrono::seconds(seconds);
  while (!*stopping_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return -1;
    pollfd wait = {fd_, POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return -1;
    if (ready <= 0) continue;
    const ssize_t got = ::recv(fd_, to, most, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    return got;
  }
  return -1;
}

bool Connection::write(std::string_view bytes) {
  auto until = Clock::now() + std::chrono::seconds(Listener::kTransferSeconds);
  while (!bytes.empty()) {
    if (*stopping_) return false;
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
      until = Clock::now() + std::chrono::seconds(Listener::kTransferSeconds);
      continue;
    }
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait = {fd_, POLLOUT, 0};
    if (::poll(&wait, 1, static_cast<int>(left)) < 0 && errno != EINTR) return false;
  }
  return true;
}

bool Connection::read_head(std::string* head) {
  const auto until = Clock::now() + std::chrono::seconds(Listener::kHeaderSeconds);
  bool first = input_.empty();
  while (true) {
    const size_t end = input_.find("\r\n\r\n");
    if (end != input_.npos && end <= Listener::kMaxHead) {
      *head = input_.substr(0, end + 2);
      input_.erase(0, end + 4);
      return true;
    }
    if (input_.size() > Listener::kMaxHead) {
      *head = {};
      return true;
    }
    char buffer[8 << 10];
    std::string before;
    before.swap(input_);  // receive() takes from input_ first
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(until - Clock::now()).count();
    const ssize_t got = receive(buffer, sizeof(buffer), first ? Listener::kIdleSeconds : static_cast<int>(std::max<int64_t>(left, 0)));
    if (got <= 0) return false;
    first = false;
    input_ = std::move(before);
    input_.append(buffer, static_cast<size_t>(got));
  }
}

Result<Request> Connection::parse_head(std::string_view head) {
  Request request;
  const size_t line_end = head.find("\r\n");
  if (line_end == head.npos) return invalid_argument("the head of the request is too long");
  const std::string_view line = head.substr(0, line_end);
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || last == first) return invalid_argument("that is no request");
  const std::string_view version = line.substr(last + 1);
  request.method = line.substr(0, first);
  if (!is_token(request.method) || (version != "HTTP/1.1" && version != "HTTP/1.0")) return invalid_argument("that is no request of HTTP/1.1");
  LW_RETURN_IF_ERROR(parse_target(line.substr(first + 1, last - first - 1), &request));
  for (head.remove_prefix(line_end + 2); !head.empty();) {
    const size_t end = head.find("\r\n");
    const std::string_view field = head.substr(0, end);
    head.remove_prefix(end + 2);
    const size_t colon = field.find(':');
    if (colon == field.npos || !is_token(field.substr(0, colon))) return invalid_argument("the request has a header without a name");
    const std::string_view value = trimmed(field.substr(colon + 1));
    if (std::any_of(value.begin(), value.end(), [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; })) return invalid_argument("the request has a header with control characters");
    request.headers.emplace_back(lower(field.substr(0, colon)), value);
    if (request.headers.size() > kMostHeaders) return invalid_argument("the request has too many headers");
  }
  return request;
}

void Connection::run(const Handler& handler) {
  std::string head;
  while (!*stopping_ && read_head(&head)) {
    auto request = parse_head(head);
    if (!request.ok()) {
      if (answer(Request{}, error_response(400, request.status().message()), false)) linger();
      return;
    }
    // Two lengths, or a length and chunks, are how requests are smuggled.
    std::optional<uint64_t> length;
    bool chunked = false, bad = false;
    int framings = 0, hosts = 0;
    for (const auto& [name, value] : request->headers) {
      hosts += name == "host";
      if (name == "content-length") {
        uint64_t n = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
        bad |= error != std::errc() || end != value.data() + value.size() || value.empty();
        length = n;
        ++framings;
      } else if (name == "transfer-encoding") {
        chunked = lower(value) == "chunked";
        bad |= !chunked;
        ++framings;
      }
    }
    if (bad || framings > 1 || hosts != 1) {
      if (answer(*request, error_response(400, hosts != 1 ? "the request must name one Host" : "the request does not say how long it is"), false)) linger();
      return;
    }
    Body body(this, length, chunked, lower(request->header("expect")) == "100-continue");
    request->body = &body;
    request->wanted = [this] {
      char c = 0;
      return !*stopping_ && ::recv(fd_, &c, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
    };
    const bool keep = lower(request->header("connection")) != "close" && head.find(" HTTP/1.0\r\n") == head.npos;
    Response response = handler(*request);
    // What is left of the body must go before the next request, or the connection ends.
    bool drained = true;
    if (body.waiting()) {
      drained = false;
    } else {
      char buffer[16 << 10];
      uint64_t swallowed = 0;
      while (!body.at_end() && swallowed <= kMostDrained) {
        const auto got = body.read(buffer, sizeof(buffer));
        if (!got.ok() || *got == 0) break;
        swallowed += *got;
      }
      drained = body.at_end();
    }
    if (!answer(*request, std::move(response), keep && drained) || (!keep && drained)) return;
    if (!drained) {
      linger();
      return;
    }
  }
}

// The client may still be sending: it shall see the answer before the connection is reset.
void Connection::linger() {
  ::shutdown(fd_, SHUT_WR);
  char buffer[16 << 10];
  const auto until = Clock::now() + std::chrono::seconds(kLingerSeconds);
  while (Clock::now() < until && receive(buffer, sizeof(buffer), 1) > 0) {
  }
}

bool Connection::answer(const Request& request, Response response, bool keep) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " " + std::string(reason_of(response.status)) + "\r\n";
  for (const auto& [name, value] : response.headers) {
    head += name + ": ";
    // A name out of a file must not end the line.
    for (const char c : value) head += c == '\r' || c == '\n' ? ' ' : c;
    head += "\r\n";
  }
  if (!keep) head += "Connection: close\r\n";
  const bool head_only = request.method == "HEAD";
  if (response.stream) {
    head += "Transfer-Encoding: chunked\r\n\r\n";
    if (!write(head)) return false;
    if (head_only) return true;
    bool alive = true;
    const bool complete = response.stream([&](std::string_view piece) {
      if (piece.empty() || !alive) return alive && !*stopping_;
      char size[24];
      const auto end = std::to_chars(size, size + sizeof(size), piece.size(), 16).ptr;
      std::string head(size, end);
      head += "\r\n";
      // Small pieces in one go.
      if (piece.size() < (64 << 10)) alive = write(head.append(piece).append("\r\n"));
      else alive = write(head) && write(piece) && write("\r\n");
      return alive;
    });
    return complete && alive && write("0\r\n\r\n");
  }
  const std::string_view body = response.shared ? std::string_view(*response.shared) : std::string_view(response.body);
  head += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  if (!head_only && body.size() < (64 << 10)) return write(head + std::string(body));
  return write(head) && (head_only || write(body));
}

}  // namespace lanewise::server::http
