// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/hal/runtime_event.h"

#include <unistd.h>

namespace lanewise::runtime {

uint32_t os_thread_id() {
  thread_local const uint32_t id = static_cast<uint32_t>(gettid());
  return id;
}

}  // namespace lanewise::runtime
