// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// ScalarScan with AVX2. Included where the compiler may use AVX2 and nowhere else.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "trace/import/kineto_json/text.h"

namespace lanewise::trace::kineto_json {

struct Avx2Scan {
  static const char* string_end(const char* p, unsigned* traits) {
    const __m256i quote = _mm256_set1_epi8('"'), escape = _mm256_set1_epi8('\\'), blank = _mm256_set1_epi8(0x20);
    for (;;) {
      const __m256i v = load(p);
      const uint32_t quotes = mask(_mm256_cmpeq_epi8(v, quote));
      const uint32_t escapes = mask(_mm256_cmpeq_epi8(v, escape));
      // Unsigned v < 0x20 is max(v, 0x20) != v.
      const uint32_t controls = ~mask(_mm256_cmpeq_epi8(_mm256_max_epu8(v, blank), v));
      const uint32_t highs = mask(v);
      const uint32_t stop = quotes | escapes;
      const uint32_t before = stop == 0 ? ~0u : (stop & -stop) - 1;
      if (((controls | highs) & before) != 0) [[unlikely]] {
        if ((controls & before) != 0) *traits |= kHasControl;
        if ((highs & before) != 0) *traits |= kHasHigh;
      }
      if (stop == 0) {
        p += 32;
        continue;
      }
      p += _tzcnt_u32(stop);
      if (*p == '"') return p;
      *traits |= kHasEscape;
      p += 2;
    }
  }

  static const char* skip_blank(const char* p) {
    if (static_cast<unsigned char>(*p) > ' ') return p;
    // One shuffle compares with all four blanks: entry n of the table is the blank whose low half byte is n.
    const __m256i blanks = _mm256_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0,  //
                                            ' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0);
    for (;;) {
      const __m256i v = load(p);
      const uint32_t others = ~mask(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(blanks, v), v));
      // A zero byte is no blank, but the shuffle gives ' ' for it, which is not equal to it.
      if (others != 0) return p + _tzcnt_u32(others);
      p += 32;
    }
  }

  static const char* next_structure(const char* p) {
    const __m256i quote = _mm256_set1_epi8('"'), open = _mm256_set1_epi8('{'), close = _mm256_set1_epi8('}'),
                  bit = _mm256_set1_epi8(0x20);
    for (;;) {
      const __m256i v = load(p);
      const __m256i folded = _mm256_or_si256(v, bit);  // '[' and ']' become '{' and '}'; nothing else does
      const uint32_t found = mask(_mm256_or_si256(
          _mm256_cmpeq_epi8(v, quote), _mm256_or_si256(_mm256_cmpeq_epi8(folded, open), _mm256_cmpeq_epi8(folded, close))));
      if (found != 0) return p + _tzcnt_u32(found);
      p += 32;
    }
  }

 private:
  static __m256i load(const char* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static uint32_t mask(__m256i v) { return static_cast<uint32_t>(_mm256_movemask_epi8(v)); }
};

}  // namespace lanewise::trace::kineto_json
