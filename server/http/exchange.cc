// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/exchange.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace lanewise::server::http {
namespace {

// What a stream gives to the library at a time where its own buffer does not decide.
constexpr size_t kBlock = 64 << 10;
// How long a client that still sends may take to see an answer that came early.
constexpr auto kLinger = std::chrono::seconds(2);

// The library counts the time in which a handler thinks as idle; a limit that begins anew afterwards does not.
class Untimed {
 public:
  explicit Untimed(MHD_Connection* connection) : connection_(connection) { set(0); }
  ~Untimed() { set(Listener::kIdleSeconds); }
  Untimed(const Untimed&) = delete;
  Untimed& operator=(const Untimed&) = delete;

 private:
  void set(unsigned seconds) { MHD_set_connection_option(connection_, MHD_CONNECTION_OPTION_TIMEOUT, seconds); }
  MHD_Connection* connection_;
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

MHD_Result add_header(void* headers, MHD_ValueKind, const char* name, const char* value) {
  std::string_view text = value == nullptr ? "" : value;
  text = text.substr(0, text.find_last_not_of(" \t") + 1);
  static_cast<decltype(Request::headers)*>(headers)->emplace_back(lower(name), text);
  return MHD_YES;
}

}  // namespace

Exchange::Exchange(MHD_Connection* connection, const Listener* listener, std::string target)
    : connection_(connection), listener_(listener), socket_(MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd) {
  request_.target = std::move(target);
}

Exchange::~Exchange() {
  body_.finish(false);
  stream_.close();
  if (handler_thread_.joinable()) handler_thread_.join();
  if (stream_thread_.joinable()) stream_thread_.join();
}

Status Exchange::read_head(const char* url, const char* version) {
  // The library takes a zero byte for the end of the address.
  if (version != url + request_.target.size() + 1) return invalid_argument("the address holds a zero byte");
  LW_RETURN_IF_ERROR(parse_target(std::string(request_.target), &request_));
  // Two lengths, a length and chunks, or a length with a name that others read otherwise, are how requests are smuggled.
  int framings = 0, hosts = 0;
  bool bad = false;
  for (const auto& [name, value] : request_.headers) {
    const auto is_control = [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; };
    if (name.find_first_of(" \t") != name.npos || std::any_of(name.begin(), name.end(), is_control) || std::any_of(value.begin(), value.end(), is_control)) {
      return invalid_argument("the request has a header that is none");
    }
    hosts += name == "host";
    if (name == "content-length") {
      uint64_t n = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
      bad |= error != std::errc() || end != value.data() + value.size();
      length_ = n;
      ++framings;
    } else if (name == "transfer-encoding") {
      bad |= lower(value) != "chunked";
      length_ = std::nullopt;
      ++framings;
    }
  }
  if (hosts != 1) return invalid_argument("the request must name one Host");
  if (bad || framings > 1) return invalid_argument("the request does not say how long it is");
  return ok_status();
}

MHD_Result Exchange::start(const Handler& handler, std::string method, const char* url, const char* version) {
  started_ = true;
  handler_ = &handler;
  request_.method = std::move(method);
  MHD_get_connection_values(connection_, MHD_HEADER_KIND, add_header, &request_.headers);
  if (const Status head = read_head(url, version); !head.ok()) return refuse(error_response(400, head.message()));
  request_.body = this;
  request_.wanted = [this] {
    char c = 0;
    return !listener_->stopping() && ::recv(socket_, &c, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
  };
  if (length_ && *length_ <= Handoff::kMost) return MHD_YES;
  const Untimed untimed(connection_);
  handler_thread_ = std::thread([this] {
    Response response = (*handler_)(request_);
    body_.close();
    const std::lock_guard lock(mutex_);
    result_ = std::move(response);
    changed_.notify_all();
  });
  std::optional<Response> early = wait_for_handler(true);
  return early ? refuse(std::move(*early)) : MHD_YES;
}

MHD_Result Exchange::refuse(Response response) {
  started_ = true;
  early_ = true;
  return answer(std::move(response));
}

MHD_Result Exchange::receive(std::string_view piece) {
  const Untimed untimed(connection_);
  // What no handler wants any more is swallowed: the library takes an answer at the head or at the end, not between.
  (void)body_.put(piece);
  return MHD_YES;
}

MHD_Result Exchange::finish() {
  const Untimed untimed(connection_);
  body_.finish(true);
  return answer(handler_thread_.joinable() ? *wait_for_handler(false) : (*handler_)(request_));
}

std::optional<Response> Exchange::wait_for_handler(bool or_asked) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return result_ || (or_asked && asked_); });
  return std::move(result_);
}

Result<size_t> Exchange::read(char* to, size_t most) {
  {
    const std::lock_guard lock(mutex_);
    asked_ = true;
    changed_.notify_all();
  }
  const size_t got = body_.take(to, most);
  if (got == 0 && most > 0 && !body_.complete()) return data_loss("the client stopped in the middle of its request");
  return got;
}

MHD_Result Exchange::answer(Response response) {
  response_ = std::move(response);
  MHD_Response* out = nullptr;
  if (response_.stream) {
    out = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kBlock, &Exchange::next, this, nullptr);
    // In chunks the library would send the mark of the end even where only the head was asked for.
    if (out != nullptr && request_.method == "HEAD") MHD_set_response_options(out, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
  } else {
    // Lives as long as this exchange, and so longer than the library needs it.
    const std::string& body = response_.shared ? *response_.shared : response_.body;
    out = MHD_create_response_from_buffer(body.size(), const_cast<char*>(body.data()), MHD_RESPMEM_PERSISTENT);
  }
  if (out == nullptr) return MHD_NO;
  for (auto& [name, value] : response_.headers) {
    // A name out of a file must not end the line.
    std::replace_if(value.begin(), value.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
    MHD_add_response_header(out, name.c_str(), value.c_str());
  }
  const MHD_Result queued = MHD_queue_response(connection_, static_cast<unsigned>(response_.status), out);
  MHD_destroy_response(out);
  return queued;
}

ssize_t Exchange::next(void* self, uint64_t, char* to, size_t most) {
  Exchange& exchange = *static_cast<Exchange*>(self);
  const Untimed untimed(exchange.connection_);
  if (!exchange.stream_thread_.joinable()) {
    exchange.stream_thread_ = std::thread([&exchange] {
      const bool complete = exchange.response_.stream([&](std::string_view piece) { return !exchange.listener_->stopping() && exchange.stream_.put(piece); });
      exchange.stream_.finish(complete);
    });
  }
  if (const size_t got = exchange.stream_.take(to, most); got > 0) return static_cast<ssize_t>(got);
  return exchange.stream_.complete() ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
}

void Exchange::linger() const {
  if (!early_ || length_ == 0u) return;
  // A close with bytes unread is a reset, which may overtake the answer.
  ::shutdown(socket_, SHUT_WR);
  char buffer[16 << 10];
  const auto until = std::chrono::steady_clock::now() + kLinger;
  while (!listener_->stopping() && std::chrono::steady_clock::now() < until) {
    pollfd wait = {socket_, POLLIN, 0};
    if (::poll(&wait, 1, 200) > 0 && ::recv(socket_, buffer, sizeof(buffer), MSG_DONTWAIT) <= 0) return;
  }
}

}  // namespace lanewise::server::http
