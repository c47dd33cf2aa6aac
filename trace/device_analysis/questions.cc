// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/questions.h"

#include <array>

#include "trace/device_analysis/critical_path.h"
#include "trace/device_analysis/dma.h"
#include "trace/device_analysis/instructions.h"
#include "trace/device_analysis/lifetimes.h"
#include "trace/device_analysis/metrics.h"
#include "trace/device_analysis/roofline.h"
#include "trace/device_analysis/stalls.h"

namespace lanewise::trace::device_analysis {

std::span<const Question> questions() {
  static constexpr auto kQuestions = std::to_array<Question>({
      {"summary", "Times, utilisation and traffic by their public definitions, with and without the execution's overhead", "metrics", false, summary_tables},
      {"instructions", "What ran: by opcode, IR op, ATen node, module, Python line, engine, and each instruction", "opcodes", true, instructions_tables},
      {"dma", "Descriptor sizes, achieved bandwidth, stretches of small transfers", "sizes", true, dma_tables},
      {"stalls", "Busy, stall and idle time of each engine, and what every stall waited for", "engines", true, stalls_tables},
      {"memory", "HBM traffic against its minimum, SBUF and PSUM occupancy and lifetimes", "tensors", true, memory_tables},
      {"roofline", "Compute, memory or launch overhead: what bounds the program and its parts", "points", false, roofline_tables},
      {"critical-path", "The chain of runs that decided the duration, and what making its parts faster would save", "path", true, critical_path_tables},
  });
  return kQuestions;
}

const Question* find_question(std::string_view name) {
  for (const Question& q : questions()) {
    if (q.name == name) return &q;
  }
  return nullptr;
}

}  // namespace lanewise::trace::device_analysis
