// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that is resident on one device. A driver keeps here what the chip needs to start it.
#pragma once

#include "runtime/hal/device.h"

namespace lanewise::runtime::null_driver {

class NullExecutable final : public Executable {
 public:
  NullExecutable(const isa::Program& program, uint64_t hash, int device)
      : program_(program), hash_(hash), device_(device) {}
  const isa::Program& program() const override { return program_; }
  uint64_t hash() const override { return hash_; }
  // A driver with a timing model gives the model's figure; real hardware has none and stays at 0.
  int64_t duration_ns() const override { return 0; }
  int device() const { return device_; }

 private:
  const isa::Program program_;
  const uint64_t hash_;
  const int device_;
};

}  // namespace lanewise::runtime::null_driver
