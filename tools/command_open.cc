// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_open.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/json_writer.h"
#include "server/http/app.h"
#include "server/http/listener.h"
#include "server/library/library.h"
#include "tools/trace_input.h"
#include "trace/pair/file_kind.h"

namespace lanewise::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStudyFolder = "output/rmsnorm";
// How many ports are tried after the default one.
constexpr int kPortsTried = 100;
// Handlers that still run at a stop (an import, a long analysis) get this long.
constexpr auto kGrace = std::chrono::seconds(2);

Status bind_port(server::http::Listener* listener, int port) {
  if (port >= 0) return listener->bind(port);
  Status status;
  for (int i = 0; i < kPortsTried; ++i) {
    status = listener->bind(kDefaultPort + i);
    if (status.ok()) return status;
  }
  return status;
}

// True when one was started.
bool start_browser(const std::string& url) {
  const char* display = std::getenv("DISPLAY");
  const char* wayland = std::getenv("WAYLAND_DISPLAY");
  if ((!display || !*display) && (!wayland || !*wayland)) return false;
  bool found = false;
  std::string_view rest = std::getenv("PATH") ? std::getenv("PATH") : "";
  while (!rest.empty() && !found) {
    const size_t colon = rest.find(':');
    found = ::access((std::string(rest.substr(0, colon)) + "/xdg-open").c_str(), X_OK) == 0;
    rest = colon == rest.npos ? std::string_view() : rest.substr(colon + 1);
  }
  if (!found) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    ::setsid();
    // Not our child any more: nobody has to wait for a browser.
    if (::fork() != 0) ::_exit(0);
    ::execlp("xdg-open", "xdg-open", url.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  if (child < 0) return false;
  ::waitpid(child, nullptr, 0);
  return true;
}

// `browser_url`: what a browser's process is started with; all users of the machine can read it.
void tell(const OpenArguments& arguments, const std::string& url, const std::string& browser_url, int port) {
  if (arguments.json) {
    JsonWriter w;
    w.begin_object().member("schema", 1).member("url", url).member("port", port).member("pid", static_cast<int64_t>(::getpid())).end_object();
    std::printf("%s\n", w.text().c_str());
    std::fflush(stdout);
  }
  const bool browser = !arguments.no_open && start_browser(browser_url);
  if (arguments.json) return;
  std::printf("%s\n", url.c_str());
  if (!browser) {
    char host[256] = "";
    ::gethostname(host, sizeof(host) - 1);
    std::printf("from another machine:  ssh -L %d:127.0.0.1:%d %s   then the link above\n", port, port, host);
  }
  std::printf("Ctrl-C ends the server.\n");
  std::fflush(stdout);
}

// One .neff with the .ntffs of its executions are device profiles, wherever they lie; everything else is what it is by itself.
Status open_all(server::library::Library* library, const std::vector<std::string>& paths) {
  using trace::pair::FileKind;
  std::vector<FileKind> kinds;
  for (const std::string& path : paths) kinds.push_back(trace::pair::kind_of_file(path));
  const auto neff = std::find(kinds.begin(), kinds.end(), FileKind::neff);
  const bool pairs = std::count(kinds.begin(), kinds.end(), FileKind::neff) == 1 && std::count(kinds.begin(), kinds.end(), FileKind::ntff) > 0;
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    if (pairs && kinds[i] == FileKind::neff) continue;
    const bool half = pairs && kinds[i] == FileKind::ntff;
    const Status opened = half ? library->name_pair(paths[static_cast<size_t>(neff - kinds.begin())], path).status() : library->name(path).status();
    LW_RETURN_IF_ERROR(opened);
  }
  return ok_status();
}

}  // namespace

int run_open(const OpenArguments& arguments) {
  // Signals are taken by one thread; blocked before any other starts.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);

  // What cannot be there is an error before anything is served.
  std::error_code error;
  for (const std::string& path : arguments.paths) {
    if (!fs::exists(path, error)) return exit_code_of(not_found("no such file: " + path));
  }
  server::http::AppOptions options;
  options.version = arguments.version;
  options.token = server::http::Auth::make_token();
  options.allowed_hosts = arguments.allowed_hosts;
  options.explorer = server::http::explorer_folder();
  options.upload_limit = arguments.upload_limit;
  options.python = arguments.python;
  // Where `lanewise study rmsnorm` writes when it is not told otherwise.
  if (const fs::path study = fs::canonical(kStudyFolder, error); !error && fs::is_directory(study, error)) options.study = study.string();
  std::vector<std::string> roots = arguments.source_roots;
  if (roots.empty()) {
    roots.push_back(".");
    // PyTorch writes files of installed packages without the folder that holds the packages. .../site-packages/lanewise/explorer
    const fs::path packages = fs::path(options.explorer).parent_path().parent_path();
    if (packages.filename() == "site-packages") roots.push_back(packages.string());
  }
  for (const std::string& root : roots) {
    const fs::path real = fs::canonical(root, error);
    if (error || !fs::is_directory(real, error)) return exit_code_of(not_found("no such folder: " + root));
    options.source_roots.push_back(real.string());
  }

  server::library::StateFolder state(server::library::StateFolder::default_path());
  const auto library = std::make_unique<server::library::Library>(&state);
  const auto listener = std::make_unique<server::http::Listener>();
  if (const Status bound = bind_port(listener.get(), arguments.port); !bound.ok()) return exit_code_of(bound);
  const std::string token = options.token;
  const auto app = std::make_unique<server::http::App>(std::move(options), library.get(), &state, listener.get());
  app->auth().set_port(listener->port());

  std::atomic<int> signal_taken = 0;
  std::atomic<bool> done = false;
  std::thread signal_thread([&] {
    bool idle = false;
    while (!done && !idle && signal_taken == 0) {
      const timespec pause = {0, 200'000'000};
      if (const int taken = sigtimedwait(&signals, nullptr, &pause); taken > 0) signal_taken = taken;
      idle = arguments.stop_when_idle_s > 0 && app->idle().count() >= arguments.stop_when_idle_s;
    }
    if (done) return;
    // Work that does not look up (an analysis of a huge trace) must not hold the terminal.
    const int code = signal_taken == SIGINT ? kExitInterrupted : kExitDone;
    std::thread([code] {
      std::this_thread::sleep_for(kGrace);
      std::_Exit(code);
    }).detach();
    library->stop();
    listener->stop();
  });
  std::thread server_thread([&] { listener->serve([&](const server::http::Request& request) { return app->handle(request); }); });

  // The link comes before the import, so that the page can watch it.
  const std::string address = "http://127.0.0.1:" + std::to_string(listener->port()) + "/?token=";
  tell(arguments, address + token, address + app->auth().make_ticket(), listener->port());
  int code = kExitDone;
  if (const Status opened = open_all(library.get(), arguments.paths); !opened.ok()) {
    code = exit_code_of(opened);
    done = true;
    listener->stop();
  }
  server_thread.join();
  done = true;
  signal_thread.join();
  return signal_taken == SIGINT ? kExitInterrupted : code;
}

}  // namespace lanewise::tools
