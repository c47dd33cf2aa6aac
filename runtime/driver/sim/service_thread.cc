// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/service_thread.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace lanewise::runtime::sim_driver {

std::thread start_service_thread(const char* name, std::function<void()> body) {
  // Ctrl-C and timers are for the program's own threads. A blocked SIGSEGV would end the process without our line.
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  std::thread thread([name, body = std::move(body)] {
    pthread_setname_np(pthread_self(), name);
    body();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace lanewise::runtime::sim_driver
