// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "server/http/connection.h"

namespace lanewise::server::http {

Listener::~Listener() {
  stop();
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return connections_.empty(); });
  if (socket_ >= 0) ::close(socket_);
  for (const int fd : wake_) {
    if (fd >= 0) ::close(fd);
  }
}

Status Listener::bind(int port) {
  if (wake_[0] < 0 && ::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) return internal_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return internal_error(std::string("cannot make a socket: ") + std::strerror(errno));
  // A port whose last owner has just ended is free; one that somebody listens on is not.
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 || ::listen(fd, 128) != 0) {
    const std::string reason = std::strerror(errno);
    ::close(fd);
    return failed_precondition("port " + std::to_string(port) + " cannot be used: " + reason);
  }
  socklen_t length = sizeof(address);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  socket_ = fd;
  port_ = ntohs(address.sin_port);
  return ok_status();
}

void Listener::serve(Handler handler) {
  handler_ = std::move(handler);
  while (!stopping_) {
    pollfd waits[] = {{socket_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0 && errno != EINTR) break;
    if (stopping_) break;
    if ((waits[0].revents & POLLIN) == 0) continue;
    const int fd = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) {
      // Out of descriptors: wait for connections to end instead of spinning.
      if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      continue;
    }
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    std::unique_lock lock(mutex_);
    if (connections_.size() >= kMaxConnections) {
      lock.unlock();
      constexpr std::string_view kBusy = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      (void)::send(fd, kBusy.data(), kBusy.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      ::close(fd);
      continue;
    }
    connections_.insert(fd);
    lock.unlock();
    std::thread([this, fd] { run_connection(fd); }).detach();
  }
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return connections_.empty(); });
}

void Listener::run_connection(int fd) {
  Connection(fd, &stopping_).run(handler_);
  // Closed under the lock, so that stop() never shuts a descriptor that is somebody else's by now.
  const std::lock_guard lock(mutex_);
  connections_.erase(fd);
  ::close(fd);
  ended_.notify_all();
}

void Listener::stop() {
  stopping_ = true;
  if (wake_[1] >= 0) (void)!::write(wake_[1], "x", 1);
  const std::lock_guard lock(mutex_);
  for (const int fd : connections_) ::shutdown(fd, SHUT_RDWR);
}

}  // namespace lanewise::server::http
