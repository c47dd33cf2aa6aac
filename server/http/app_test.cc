// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The whole server in one process, asked by many threads over real sockets while a trace is read, closed and opened again. What the
// answers say is tested elsewhere; here the sanitizers look on.
#include "server/http/app.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace lanewise::server::http {
namespace {

namespace fs = std::filesystem;

std::string trace_text(int operators) {
  std::string text = R"({"schemaVersion": 1, "traceEvents": [)";
  for (int i = 0; i < operators; ++i) {
    const std::string at = std::to_string(100 * i), id = std::to_string(i + 1);
    text += R"({"ph":"X","cat":"cpu_op","name":"aten::op_)" + std::to_string(i % 40) + R"(","pid":1,"tid":)" + std::to_string(i % 3) + R"(,"ts":)" + at + R"(,"dur":90,"args":{"External id":)" + id + "}},\n";
    text += R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":)" + std::to_string(i % 3) + R"(,"ts":)" + at + R"(,"dur":9,"args":{"correlation":)" + id + "}},\n";
    text += R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)" + std::to_string(100 * i + 20) + R"(,"dur":60,"args":{"device":0,"stream":7,"correlation":)" + id + "}},\n";
  }
  return text + R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}}]})";
}

class AppTest : public testing::Test {
 protected:
  AppTest() {
    std::string pattern = (fs::temp_directory_path() / "lw_app_XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    root = fs::canonical(pattern);
    state = std::make_unique<library::StateFolder>((root / "state").string());
    library = std::make_unique<library::Library>(state.get());
    AppOptions options;
    options.token = "token";
    options.upload_limit = 1 << 20;
    app = std::make_unique<App>(options, library.get(), state.get(), &listener);
    EXPECT_TRUE(listener.bind(0).ok());
    app->auth().set_port(listener.port());
    thread = std::thread([this] { listener.serve([this](const Request& request) { return app->handle(request); }); });
  }
  ~AppTest() override {
    library->stop();
    listener.stop();
    thread.join();
    app.reset();
    library.reset();
    fs::remove_all(root);
  }

  int connect_client() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(listener.port()));
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    return fd;
  }
  // The whole answer, read until the server closes; `most`: stop early and go away.
  std::string ask(const std::string& method, const std::string& path, const std::string& body = {}, size_t most = ~size_t{0}) const {
    const int fd = connect_client();
    const std::string text = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
                             "\r\n\r\n" + body;
    EXPECT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    std::string answer;
    char buffer[16 << 10];
    for (ssize_t got; answer.size() < most && (got = ::recv(fd, buffer, sizeof(buffer), 0)) > 0;) answer.append(buffer, static_cast<size_t>(got));
    ::close(fd);
    return answer;
  }
  static int status(const std::string& answer) { return answer.size() > 12 ? std::atoi(answer.c_str() + 9) : 0; }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(root / name) << text;
    return (root / name).string();
  }

  fs::path root;
  std::unique_ptr<library::StateFolder> state;
  std::unique_ptr<library::Library> library;
  Listener listener;
  std::unique_ptr<App> app;
  std::thread thread;
};

TEST_F(AppTest, ManyAskWhileATraceComesAndGoes) {
  const std::string path = write("trace.json", trace_text(6000));
  const auto opened = library->name(path);
  ASSERT_TRUE(opened.ok()) << opened.status().to_string();
  const std::string base = "/api/trace/" + opened->front()->id();
  std::atomic<bool> done = false;
  std::atomic<int> answers = 0;
  const auto loop = [&](int seed) {
    const std::vector<std::tuple<std::string, std::string, std::string>> asked = {
        {"GET", "/api/home", ""},
        {"GET", base, ""},
        {"GET", base + "/lanes", ""},
        {"POST", base + "/tiles", R"({"level":12,"first":0,"count":8,"search":"op_1","filter":{"min_ns":10}})"},
        {"POST", base + "/search", R"({"text":"op_)" + std::to_string(seed) + R"("})"},
        {"POST", base + "/select", R"({"name":"k"})"},
        {"POST", base + "/arrows", R"({"from":0,"to":1000000})"},
        {"POST", base + "/flame", R"({"thread":"1"})"},
        {"POST", base + "/table/ops", R"({"top":)" + std::to_string(seed) + "}"},
        {"GET", base + "/chain/2", ""},
        {"GET", base + "/event/2", ""},
        {"GET", base + "/memory", ""},
        {"PUT", "/api/state/layout", R"({"a":1})"},
        {"POST", "/api/open", "{\"path\":\"" + path + "\"}"},
        {"GET", "/api/progress", ""},
    };
    for (size_t i = static_cast<size_t>(seed); !done; ++i) {
      const auto& [method, target, body] = asked[i % asked.size()];
      const size_t most = i % 7 == 0 ? 100 : ~size_t{0};
      const int code = status(ask(method, target, body, most));
      // 404: closed at that moment; 409: still read.
      EXPECT_TRUE(code == 200 || code == 404 || code == 409) << target << " " << code;
      ++answers;
    }
  };
  std::vector<std::thread> clients;
  for (int seed = 0; seed < 6; ++seed) clients.emplace_back(loop, seed);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  while (std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    library->close(opened->front()->id());
  }
  done = true;
  for (std::thread& client : clients) client.join();
  EXPECT_GT(answers.load(), 50);
}

TEST_F(AppTest, StopsWithStreamsOpenAndAnImportUnderWay) {
  ASSERT_TRUE(library->name(write("trace.json", trace_text(60'000))).ok());
  std::vector<int> streams;
  for (int i = 0; i < 5; ++i) {
    streams.push_back(connect_client());
    const std::string text = "GET /api/progress HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token\r\n\r\n";
    ASSERT_EQ(::send(streams.back(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  char first = 0;
  ASSERT_EQ(::recv(streams[0], &first, 1, 0), 1);
  listener.stop();
  thread.join();
  thread = std::thread([] {});
  for (const int fd : streams) ::close(fd);
}

TEST_F(AppTest, KeepsConnectionsAndReadsPipelinedRequests) {
  const int fd = connect_client();
  std::string text;
  for (int i = 0; i < 20; ++i) text += "GET /api/state/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token\r\n\r\n";
  text += "GET /api/state/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token\r\nConnection: close\r\n\r\n";
  ASSERT_EQ(::send(fd, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  std::string all;
  char buffer[4096];
  for (ssize_t got; (got = ::recv(fd, buffer, sizeof(buffer), 0)) > 0;) all.append(buffer, static_cast<size_t>(got));
  ::close(fd);
  size_t answers = 0;
  for (size_t at = 0; (at = all.find("HTTP/1.1 200", at)) != all.npos; ++at) ++answers;
  EXPECT_EQ(answers, 21u);
}

}  // namespace
}  // namespace lanewise::server::http
