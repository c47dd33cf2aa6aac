// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Units as types, so that a cycle is never added to a nanosecond.
//
//   Cycles  ticks of one engine's clock        Picos  simulated device time, ps
//   Nanos   host time (Unix epoch) or a span   Bytes  sizes
//
// Clocks are integer kHz. Cycles become ps by one integer division (rounded up), ps become ns once, rounded up.
#pragma once

#include <compare>
#include <cstdint>

namespace lanewise {

template <typename Tag>
struct Quantity {
  int64_t value = 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(int64_t v) : value(v) {}
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator+(Quantity other) const { return Quantity(value + other.value); }
  constexpr Quantity operator-(Quantity other) const { return Quantity(value - other.value); }
  constexpr Quantity operator*(int64_t n) const { return Quantity(value * n); }
  constexpr Quantity& operator+=(Quantity other) { value += other.value; return *this; }
  constexpr Quantity& operator-=(Quantity other) { value -= other.value; return *this; }
};

using Cycles = Quantity<struct CyclesTag>;
using Picos = Quantity<struct PicosTag>;
using Nanos = Quantity<struct NanosTag>;
using Bytes = Quantity<struct BytesTag>;

// One engine clock. 1 kHz is one tick in 1e9 ps.
struct Clock {
  int64_t khz = 1'000'000;

  // Smallest number of ps that holds `cycles` whole ticks.
  constexpr Picos to_picos(Cycles cycles) const {
    return Picos((cycles.value * 1'000'000'000 + khz - 1) / khz);
  }
};

constexpr Nanos round_up_to_nanos(Picos t) { return Nanos((t.value + 999) / 1000); }
constexpr Picos to_picos(Nanos t) { return Picos(t.value * 1000); }

}  // namespace lanewise
