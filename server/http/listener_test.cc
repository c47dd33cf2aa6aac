// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/listener.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <list>
#include <thread>

#include "server/http/handoff.h"

namespace lanewise::server::http {
namespace {

constexpr const char* kHead = " HTTP/1.1\r\nHost: localhost\r\n";

// A client that says exactly what it is told.
class Client {
 public:
  explicit Client(int port, const char* address = "127.0.0.1") : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    ::inet_pton(AF_INET, address, &to.sin_addr);
    const timeval patience = {60, 0};  // a test that hangs fails
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0;
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  // Up to and with `end`, or all that came before the end of the connection.
  std::string until(std::string_view end) {
    size_t at, seen = 0;
    while ((at = input_.find(end, seen)) == input_.npos) {
      seen = input_.size() - std::min(input_.size(), end.size());
      if (!more()) return std::exchange(input_, {});
    }
    std::string text = input_.substr(0, at + end.size());
    input_.erase(0, at + end.size());
    return text;
  }
  std::string rest() {
    while (more()) {
    }
    return std::exchange(input_, {});
  }
  // Head and body of one answer with a length.
  std::string answer() {
    const std::string head = until("\r\n\r\n");
    const size_t at = head.find("Content-Length: ");
    if (at == head.npos) return head;
    const size_t length = std::stoul(head.substr(at + 16));
    while (input_.size() < length && more()) {
    }
    const std::string body = input_.substr(0, length);
    input_.erase(0, length);
    return head + body;
  }
  std::string ask(std::string_view method, std::string_view target) {
    send(std::string(method) + " " + std::string(target) + kHead + "\r\n");
    return answer();
  }
  bool was_reset() const { return reset_; }

 private:
  bool more() {
    char buffer[16 << 10];
    const ssize_t got = ::recv(fd_, buffer, sizeof(buffer), 0);
    reset_ |= got < 0;
    if (got > 0) input_.append(buffer, static_cast<size_t>(got));
    return got > 0;
  }
  int fd_;
  bool connected_ = false, reset_ = false;
  std::string input_;
};

class ListenerTest : public testing::Test {
 protected:
  void serve(Handler handler) {
    const Status bound = listener_.bind(0);
    ASSERT_TRUE(bound.ok()) << bound.to_string();
    thread_ = std::thread([this, handler] { listener_.serve(handler); });
  }
  void stop() {
    listener_.stop();
    if (thread_.joinable()) thread_.join();
  }
  void TearDown() override { stop(); }
  int port() const { return listener_.port(); }

  Listener listener_;
  std::thread thread_;
};

Response text(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

// Reads all and says how much it was.
Response count(const Request& request) {
  std::string buffer(10'000, '\0');
  uint64_t bytes = 0;
  while (true) {
    const auto got = request.body->read(buffer.data(), buffer.size());
    if (!got.ok()) return error_response(got.status());
    if (*got == 0) return text(std::to_string(bytes));
    bytes += *got;
  }
}

std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

TEST_F(ListenerTest, TellsTheHandlerWhatWasAsked) {
  serve([](const Request& r) { return text(r.method + "|" + r.path + "|" + r.target + "|" + r.parameter("q").value_or("-") + "|" + r.header("x-thing")); });
  Client client(port());
  client.send(std::string("GET /a%20b%2F?q=x+%2By&z") + kHead + "X-THING:  two words \r\n\r\n");
  EXPECT_EQ(body_of(client.answer()), "GET|/a b/|/a%20b%2F?q=x+%2By&z|x +y|two words");
  // The same connection serves on; no path is cleaned up on the way, so none leads anywhere.
  EXPECT_EQ(body_of(client.ask("BREW", "/../x/./y")), "BREW|/../x/./y|/../x/./y|-|");
  client.send(std::string("GET /1") + kHead + "\r\nGET /2" + kHead + "\r\n");
  EXPECT_EQ(body_of(client.answer()), "GET|/1|/1|-|");
  EXPECT_EQ(body_of(client.answer()), "GET|/2|/2|-|");
}

TEST_F(ListenerTest, SendsHeadersAndBodies) {
  const auto shared = std::make_shared<const std::string>(3 << 20, 's');
  serve([&](const Request& r) {
    Response response = text("own");
    if (r.path == "/shared") response.shared = shared;
    if (r.path == "/stream") response.stream = [](const Write& write) { return write("streamed"); };
    response.status = 404;
    return std::move(response.header("X-Name", "a\r\nX-Evil: b"));
  });
  Client client(port());
  const std::string own = client.ask("GET", "/");
  EXPECT_TRUE(own.starts_with("HTTP/1.1 404 Not Found\r\n")) << own;
  EXPECT_NE(own.find("\r\nX-Name: a  X-Evil: b\r\n"), own.npos) << own;
  EXPECT_EQ(body_of(client.ask("GET", "/shared")), *shared);
  client.send(std::string("HEAD /shared") + kHead + "\r\n");
  EXPECT_NE(client.until("\r\n\r\n").find("Content-Length: 3145728\r\n"), std::string::npos);
  EXPECT_EQ(body_of(client.ask("GET", "/")), "own");
  client.send(std::string("HEAD /stream") + kHead + "\r\n");
  const std::string head = client.rest();
  EXPECT_TRUE(head.starts_with("HTTP/1.1 404")) << head;
  EXPECT_TRUE(head.ends_with("\r\n\r\n") && body_of(head).empty()) << head;
}

TEST_F(ListenerTest, IsOnLoopbackOnlyAndSaysWhenAPortIsTaken) {
  serve([](const Request&) { return text(""); });
  EXPECT_TRUE(Client(port()).connected());
  EXPECT_FALSE(Client(port(), "127.0.0.2").connected());
  Listener other;
  const Status taken = other.bind(port());
  EXPECT_EQ(taken.code(), StatusCode::failed_precondition);
  EXPECT_EQ(taken.message(), "port " + std::to_string(port()) + " cannot be used: Address already in use");
  ASSERT_TRUE(other.bind(0).ok());
  EXPECT_NE(other.port(), port());
}

TEST_F(ListenerTest, WhoCameBeforeServeWaits) {
  ASSERT_TRUE(listener_.bind(0).ok());
  Client client(port());
  client.send(std::string("GET /") + kHead + "\r\n");
  thread_ = std::thread([this] { listener_.serve([](const Request&) { return text("here"); }); });
  EXPECT_EQ(body_of(client.answer()), "here");
}

TEST_F(ListenerTest, RefusesWhatIsNoRequest) {
  std::atomic<int> asked = 0;
  serve([&](const Request&) { return ++asked, text(""); });
  const auto refused = [&](std::string_view bytes) {
    Client client(port());
    client.send(bytes);
    return client.rest();
  };
  using namespace std::string_view_literals;
  for (const auto request : {
           "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n"sv, "GET /a?b=%00 HTTP/1.1\r\nHost: a\r\n\r\n"sv, "GET /a\0/../b HTTP/1.1\r\nHost: a\r\n\r\n"sv,
           "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n"sv, "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n"sv, "GET / HTTP/1.1\r\n\r\n"sv,
           "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"sv, "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n"sv,
           "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nGET /"sv, "GET / HTTP/1.1\r\nHost: a\r\nA: b\rc\r\n\r\n"sv,
           "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nGET /"sv, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"sv,
           "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"sv,
           "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\nx"sv}) {
    const std::string answer = refused(request);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << request << "\n" << answer;
  }
  EXPECT_TRUE(refused("GET /" + std::string(100'000, 'a') + kHead + "\r\n").starts_with("HTTP/1.1 414 "));
  EXPECT_TRUE(refused(std::string("GET /") + kHead + "A: " + std::string(100'000, 'a') + "\r\n\r\n").starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(refused("\x16\x03\x01\x02\r\n\r\n").empty());
  EXPECT_EQ(asked, 0);
}

TEST_F(ListenerTest, ReadsBodies) {
  serve(count);
  Client client(port());
  client.send(std::string("PUT /") + kHead + "Content-Length: 5\r\n\r\nhello");
  EXPECT_EQ(body_of(client.answer()), "5");
  client.send(std::string("POST /") + kHead + "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n");
  EXPECT_EQ(body_of(client.answer()), "15");
  client.send(std::string("POST /") + kHead + "Content-Length: 30000000\r\n\r\n" + std::string(30'000'000, 'b'));
  EXPECT_EQ(body_of(client.answer()), "30000000");
  EXPECT_EQ(body_of(client.ask("POST", "/")), "0");
  client.send(std::string("POST /") + kHead + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n");
  EXPECT_TRUE(client.rest().starts_with("HTTP/1.1 400 "));
}

TEST_F(ListenerTest, ABodyIsReadWhileItComes) {
  std::promise<void> begun;
  serve([&](const Request& request) {
    EXPECT_EQ(request.body->length(), 9'000'000u);
    char first;
    EXPECT_EQ(*request.body->read(&first, 1), 1u);
    begun.set_value();
    return count(request);
  });
  Client client(port());
  client.send(std::string("POST /") + kHead + "Expect: 100-continue\r\nContent-Length: 9000000\r\n\r\n");
  EXPECT_EQ(client.until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("x");
  begun.get_future().wait();
  client.send(std::string(8'999'999, 'x'));
  EXPECT_EQ(body_of(client.answer()), "8999999");
}

TEST_F(ListenerTest, ABodyThatNobodyWantsDoesNotHideTheAnswer) {
  serve([](const Request& request) {
    if (request.path == "/half") {
      char some[1000];
      EXPECT_TRUE(request.body->read(some, sizeof(some)).ok());
    }
    return error_response(413, "too long");
  });
  for (const std::string length : {"1000000", "8000000"}) {
    Client client(port());
    client.send("POST /half" + std::string(kHead) + "Content-Length: " + length + "\r\n\r\n" + std::string(std::stoul(length), 'x'));
    EXPECT_TRUE(client.answer().starts_with("HTTP/1.1 413 "));
    EXPECT_TRUE(client.ask("GET", "/").starts_with("HTTP/1.1 413 "));
  }
  // Refused at the head: nobody waits for gigabytes, and what was sent by then does no harm.
  Client client(port());
  client.send("POST /" + std::string(kHead) + "Content-Length: 9000000000\r\n\r\n");
  client.send(std::string(3'000'000, 'x'));
  EXPECT_TRUE(client.answer().starts_with("HTTP/1.1 413 "));
  client.rest();
  EXPECT_FALSE(client.was_reset());
  Client expecting(port());
  expecting.send("POST /" + std::string(kHead) + "Expect: 100-continue\r\nContent-Length: 9000000\r\n\r\n");
  EXPECT_TRUE(expecting.answer().starts_with("HTTP/1.1 413 "));
}

TEST_F(ListenerTest, AClientThatLeavesInABodyIsAnError) {
  std::promise<Status> read;
  serve([&](const Request& request) {
    char buffer[1000];
    while (true) {
      const auto got = request.body->read(buffer, sizeof(buffer));
      if (got.ok() && *got > 0) continue;
      read.set_value(got.status());
      return text("");
    }
  });
  Client client(port());
  client.send("POST /" + std::string(kHead) + "Content-Length: 5000000\r\n\r\n" + std::string(2'000'000, 'x'));
  client.close();
  EXPECT_EQ(read.get_future().get().code(), StatusCode::data_loss);
}

TEST_F(ListenerTest, StreamsArriveAsTheyAreWritten) {
  std::promise<void> seen;
  serve([&](const Request& request) {
    Response response;
    response.stream = [&, good = request.path == "/good"](const Write& write) {
      if (!good) return write("half") && false;
      if (!write("one")) return false;
      seen.get_future().wait();
      return write("two") && write(std::string(5'000'000, 'x'));
    };
    return response;
  });
  Client client(port());
  client.send(std::string("GET /good") + kHead + "\r\n");
  EXPECT_NE(client.until("\r\n\r\n").find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_EQ(client.until("one\r\n"), "3\r\none\r\n");
  seen.set_value();
  const std::string rest = client.until("\r\n0\r\n\r\n");
  EXPECT_EQ(std::count(rest.begin(), rest.end(), 'x'), 5'000'000);
  // One that fails has no end.
  client.send(std::string("GET /bad") + kHead + "\r\n");
  const std::string bad = client.rest();
  EXPECT_TRUE(bad.ends_with("4\r\nhalf\r\n")) << bad;
}

TEST_F(ListenerTest, AStreamEndsWhenItsClientLeaves) {
  std::promise<bool> ended;
  serve([&](const Request&) {
    Response response;
    response.stream = [&](const Write& write) {
      while (write("tick\n")) {
      }
      ended.set_value(true);
      return false;
    };
    return response;
  });
  Client client(port());
  client.send(std::string("GET /") + kHead + "\r\n");
  client.until("tick\n");
  client.close();
  EXPECT_TRUE(ended.get_future().get());
}

TEST_F(ListenerTest, AHandlerCanSeeThatNobodyWaits) {
  std::promise<bool> first, left;
  serve([&](const Request& request) {
    first.set_value(request.wanted());
    while (request.wanted()) std::this_thread::yield();
    left.set_value(true);
    return text("");
  });
  Client client(port());
  client.send(std::string("GET /") + kHead + "\r\n");
  EXPECT_TRUE(first.get_future().get());
  client.close();
  EXPECT_TRUE(left.get_future().get());
}

// Returns when all did: TearDown would hang else.
TEST_F(ListenerTest, StopsWithEverythingOpen) {
  std::promise<void> streaming, reading;
  serve([&](const Request& request) {
    if (request.method == "POST") {
      char c;
      EXPECT_TRUE(request.body->read(&c, 1).ok());
      reading.set_value();
      return count(request);
    }
    Response response;
    response.stream = [&, slow = request.path == "/slow"](const Write& write) {
      write("x");
      if (slow) streaming.set_value();
      while (write(slow ? "" : std::string(100'000, 'x'))) std::this_thread::yield();
      return false;
    };
    return response;
  });
  Client idle(port()), slow(port()), full(port()), body(port()), head(port());
  slow.send(std::string("GET /slow") + kHead + "\r\n");
  full.send(std::string("GET /full") + kHead + "\r\n");
  full.until("\r\n\r\n");  // and no more: its writer waits
  body.send("POST /" + std::string(kHead) + "Content-Length: 5000000\r\n\r\nx");
  head.send("GET /");
  streaming.get_future().wait();
  reading.get_future().wait();
  stop();
  EXPECT_FALSE(Client(port()).connected());
}

TEST_F(ListenerTest, OneConnectionTooManyIsToldSo) {
  serve([&](const Request&) {
    Response response;
    response.stream = [this](const Write& write) {
      write("held");
      while (!listener_.stopping()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return false;
    };
    return response;
  });
  std::list<Client> held;
  for (int i = 0; i < Listener::kMaxConnections; ++i) {
    Client& client = held.emplace_back(port());
    client.send(std::string("GET /") + kHead + "\r\n");
    ASSERT_TRUE(client.until("held").ends_with("held")) << i;
  }
  EXPECT_TRUE(Client(port()).ask("GET", "/").starts_with("HTTP/1.1 503 "));
}

TEST(HandoffTest, CarriesAllBytesInOrderAndHoldsFewOfThem) {
  Handoff handoff;
  const std::string piece(Handoff::kMost, 'p');
  std::thread putter([&] {
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(handoff.put(std::to_string(i % 10) + piece));
    handoff.finish(true);
    handoff.finish(false);
  });
  std::string got, buffer(70'001, '\0');
  while (const size_t n = handoff.take(buffer.data(), buffer.size())) got.append(buffer, 0, n);
  putter.join();
  ASSERT_EQ(got.size(), 20 * (piece.size() + 1));
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(got[i * (piece.size() + 1)], static_cast<char>('0' + i % 10));
  EXPECT_TRUE(handoff.complete());
}

TEST(HandoffTest, EitherSideMayGo) {
  Handoff handoff;
  const std::string piece(2 * Handoff::kMost, 'p');
  EXPECT_TRUE(handoff.put(piece));
  std::thread putter([&] { EXPECT_FALSE(handoff.put(piece)); });
  handoff.close();
  putter.join();
  Handoff other;
  std::thread taker([&] {
    char c;
    EXPECT_EQ(other.take(&c, 1), 0u);
  });
  other.finish(false);
  taker.join();
  EXPECT_FALSE(other.complete());
}

}  // namespace
}  // namespace lanewise::server::http
