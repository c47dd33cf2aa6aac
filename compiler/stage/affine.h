// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Affine functions of a stage's atoms (loop variables). Everything that a stage reads, writes or counts is one: the
// element read from a buffer, the index of a dimension, the value of an iota.
#pragma once

#include <array>
#include <cstdint>

namespace lanewise::compiler::stage {

inline constexpr int kMaxAtoms = 24;
inline constexpr int kMaxBuiltAtoms = 20;   // of a stage as it is built; placement splits a few more
using AtomMask = uint32_t;   // one bit an atom

constexpr AtomMask bit(int atom) { return AtomMask{1} << atom; }
constexpr bool contains(AtomMask mask, int atom) { return (mask >> atom & 1) != 0; }

struct Affine {
  int64_t offset = 0;
  std::array<int64_t, kMaxAtoms> coef{};

  static Affine constant(int64_t value) {
    Affine a;
    a.offset = value;
    return a;
  }
  static Affine of_atom(int atom, int64_t coef = 1) {
    Affine a;
    a.coef[atom] = coef;
    return a;
  }
  // The atoms it depends on.
  AtomMask atoms() const {
    AtomMask mask = 0;
    for (int i = 0; i < kMaxAtoms; ++i)
      if (coef[i] != 0) mask |= bit(i);
    return mask;
  }
  // this += other * factor
  void add(const Affine& other, int64_t factor) {
    offset += other.offset * factor;
    for (int i = 0; i < kMaxAtoms; ++i) coef[i] += other.coef[i] * factor;
  }
  bool operator==(const Affine&) const = default;
};

}  // namespace lanewise::compiler::stage
