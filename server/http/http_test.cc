// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "server/http/auth.h"
#include "server/http/child.h"
#include "server/http/message.h"
#include "server/http/sql.h"

namespace lanewise::server::http {
namespace {

Request request(const std::string& target, std::vector<std::pair<std::string, std::string>> headers, const std::string& method = "GET") {
  Request r;
  r.method = method;
  EXPECT_TRUE(parse_target(target, &r).ok()) << target;
  r.headers = std::move(headers);
  return r;
}

class AuthTest : public testing::Test {
 protected:
  AuthTest() { auth.set_port(7424); }
  int status(const Request& r) const {
    const auto refused = auth.check(r);
    return refused ? refused->status : 200;
  }
  Auth auth{"secret", {"proxy.example", "Box.example:8080"}};
  const std::pair<std::string, std::string> host{"host", "127.0.0.1:7424"}, cookie{"cookie", "a=b; lanewise_7424=secret"};
};

TEST_F(AuthTest, TheTokenBecomesACookieAndLeavesTheAddress) {
  const auto answer = auth.check(request("/sub/page?x=1&token=secret&y=2", {host}));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 303);
  std::map<std::string, std::string> headers(answer->headers.begin(), answer->headers.end());
  EXPECT_EQ(headers["Location"], "./page?x=1&y=2");
  EXPECT_EQ(headers["Set-Cookie"], "lanewise_7424=secret; HttpOnly; SameSite=Strict; Path=/");
  EXPECT_EQ(auth.check(request("/?token=secret", {host}))->headers[0].second, "./");
}

TEST_F(AuthTest, ATicketOpensThePageOnce) {
  EXPECT_EQ(status(request("/?token=", {host})), 401) << "there is none yet";
  const std::string link = "/?token=" + auth.make_ticket();
  EXPECT_EQ(status(request(link, {host}, "HEAD")), 401);
  const auto answer = auth.check(request(link, {host}));
  EXPECT_EQ(answer->status, 303);
  std::map<std::string, std::string> headers(answer->headers.begin(), answer->headers.end());
  EXPECT_TRUE(headers["Set-Cookie"].starts_with("lanewise_7424=secret;")) << "the cookie holds the token";
  EXPECT_EQ(status(request(link, {host})), 401);
  EXPECT_EQ(status(request("/", {host, {"authorization", "Bearer " + link.substr(8)}})), 401);
  EXPECT_EQ(status(request("/?token=secret", {host})), 303);
}

TEST_F(AuthTest, WhoMayAsk) {
  EXPECT_EQ(status(request("/", {host})), 401);
  EXPECT_EQ(status(request("/?token=secreT", {host})), 401);
  EXPECT_EQ(status(request("/?token=", {host})), 401);
  EXPECT_EQ(status(request("/", {host, cookie})), 200);
  EXPECT_EQ(status(request("/", {host, {"cookie", "lanewise_7425=secret"}})), 401);
  EXPECT_EQ(status(request("/", {host, {"cookie", "xlanewise_7424=secret"}})), 401);
  EXPECT_EQ(status(request("/", {host, {"authorization", "Bearer secret"}})), 200);
  EXPECT_EQ(status(request("/", {host, {"authorization", "Basic secret"}})), 401);
  // A token in the address is for the first page, not for what changes something.
  EXPECT_EQ(status(request("/api/close?token=secret", {host}, "POST")), 401);
}

TEST_F(AuthTest, OnlyNamesOfThisMachine) {
  for (const char* good : {"localhost", "localhost:9", "LOCALHOST:65535", "127.0.0.1", "[::1]:80", "proxy.example", "Proxy.Example:443", "box.example:9090"}) {
    EXPECT_EQ(status(request("/", {{"host", good}, cookie})), 200) << good;
  }
  for (const char* bad : {"", "evil.example", "evil.example:7424", "127.0.0.1.evil.example", "localhost.evil.example", "localhost:x", "localhost:1:2", "[::1", "0.0.0.0", "127.0.0.1@evil"}) {
    EXPECT_EQ(status(request("/", {{"host", bad}, cookie})), 403) << bad;
  }
}

TEST_F(AuthTest, NoOtherPageMayAsk) {
  const auto with_origin = [&](const char* origin) { return status(request("/api/home", {host, cookie, {"origin", origin}}, "POST")); };
  EXPECT_EQ(with_origin("http://127.0.0.1:7424"), 200);
  EXPECT_EQ(with_origin("https://127.0.0.1:7424"), 200);
  for (const char* bad : {"http://127.0.0.1:7425", "http://localhost:7424", "null", "", "http://evil.example", "http://127.0.0.1:7424.evil.example"}) EXPECT_EQ(with_origin(bad), 403) << bad;
  EXPECT_EQ(status(request("/api/home", {host, cookie, {"sec-fetch-site", "same-site"}})), 403);
  EXPECT_EQ(status(request("/api/home", {host, cookie, {"sec-fetch-site", "same-origin"}})), 200);
  // A link on another page may lead here.
  EXPECT_EQ(status(request("/", {host, cookie, {"sec-fetch-site", "cross-site"}})), 200);
}

TEST(Token, IsLongAndNeverTheSame) {
  EXPECT_EQ(Auth::make_token().size(), 64u);
  EXPECT_NE(Auth::make_token(), Auth::make_token());
}

TEST(Message, TargetsAreDecodedOnce) {
  const Request r = request("/api/%2e%2e/x%2Fy?a=%2B+b&c&=d&e=1=2", {});
  EXPECT_EQ(r.path, "/api/../x/y");
  EXPECT_EQ(r.parameter("a"), "+ b");
  EXPECT_EQ(r.parameter("c"), "");
  EXPECT_EQ(r.parameter("e"), "1=2");
  EXPECT_FALSE(r.parameter("z").has_value());
  for (const char* bad : {"", "x", "http://a/", "/%", "/%4", "/%zz", "/a%00b", "/?x=%00"}) {
    Request other;
    EXPECT_FALSE(parse_target(bad, &other).ok()) << bad;
  }
}

TEST(Child, GivesOutputAndEndsWhenNobodyWaits) {
  const auto done = run_child({"sh", "-c", "echo out; echo err >&2; exit 3"}, {});
  ASSERT_TRUE(done.ok()) << done.status().to_string();
  EXPECT_EQ(done->output, "out\n");
  EXPECT_EQ(done->errors, "err\n");
  EXPECT_EQ(done->exit_code, 3);
  EXPECT_EQ(run_child({"/no/such/program"}, {}).status().code(), StatusCode::not_found);
  ChildLimits limits;
  limits.most_output = 1000;
  EXPECT_EQ(run_child({"sh", "-c", "yes"}, limits).status().code(), StatusCode::resource_exhausted);
  int asked = 0;
  limits.wanted = [&] { return ++asked < 3; };
  EXPECT_EQ(run_child({"sleep", "60"}, limits).status().code(), StatusCode::cancelled);
}

TEST(Child, OneThatClosesItsOutputsIsNotWaitedForLonger) {
  ChildLimits limits;
  limits.seconds = 1;
  EXPECT_EQ(run_child({"sh", "-c", "exec >&- 2>&-; sleep 60"}, limits).status().code(), StatusCode::deadline_exceeded);
}

TEST(Child, InheritsNoFiles) {
  const int open = ::open("/dev/null", O_RDONLY);
  ASSERT_GE(open, 3);
  const auto listed = run_child({"sh", "-c", "ls /proc/self/fd | wc -l"}, {});
  ::close(open);
  ASSERT_TRUE(listed.ok()) << listed.status().to_string();
  EXPECT_EQ(std::atoi(listed->output.c_str()), 4) << "the three, and the folder that ls reads";
}

// Stands for Python: says how many of its kind run.
TEST(Sql, ProcessesTakeTurns) {
  std::string folder = (std::filesystem::temp_directory_path() / "lw_sql_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string python = folder + "/python";
  std::ofstream(python) << "#!/bin/sh\n[ \"$1\" = -c ] && exit 0\nmkdir " << folder << "/run.$$; n=$(ls -d " << folder << "/run.* | wc -l); sleep 0.2; rmdir " << folder
                        << "/run.$$\necho '{\"columns\":[\"n\"],\"rows\":[['$n']],\"more\":false}'\n";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  std::vector<std::thread> clients;
  std::atomic<int> most = 0, answered = 0;
  for (int i = 0; i < 6; ++i) {
    clients.emplace_back([&] {
      const auto frame = answer_sql({python, "trace", "select", 10, {}});
      ASSERT_TRUE(frame.ok()) << frame.status().to_string();
      // One column of one float64 ends the frame.
      double n = 0;
      std::memcpy(&n, frame->data() + frame->size() - sizeof(n), sizeof(n));
      for (int known = most; n > known && !most.compare_exchange_weak(known, static_cast<int>(n));) {
      }
      ++answered;
    });
  }
  for (std::thread& client : clients) client.join();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(answered, 6);
  EXPECT_EQ(most, 2);
}

}  // namespace
}  // namespace lanewise::server::http
