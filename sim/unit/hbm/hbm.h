// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The core's share of its HBM stack.
#pragma once

#include <cstdint>

#include "machine/machine.h"

namespace lanewise::sim::hbm {

// Traffic is in bytes per 2^20 ps, so that rates are integers.
inline constexpr int64_t kRateScale = int64_t{1} << 20;

class Share {
 public:
  explicit Share(const machine::Machine& machine)
      : limit_(static_cast<int64_t>(static_cast<__int128>(machine.dma.hbm_bytes_per_second) * kRateScale /
                                    1'000'000'000'000)) {}

  // Rate, as a fraction of kRateScale, at which DMA engines that ask for `demand` together may run.
  int64_t granted(int64_t demand) const {
    if (limit_ <= 0 || demand <= limit_) return kRateScale;
    return static_cast<int64_t>(static_cast<__int128>(limit_) * kRateScale / demand);
  }

 private:
  int64_t limit_;
};

}  // namespace lanewise::sim::hbm
