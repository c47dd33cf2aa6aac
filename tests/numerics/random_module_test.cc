// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Random modules through compiler and simulator against the plain evaluation. LANEWISE_RANDOM_SEED and
// LANEWISE_RANDOM_COUNT choose others; a failure prints the seed and the module.
#include "tests/numerics/random_module.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/numerics/compiled_run.h"

namespace lanewise::test {
namespace {

uint32_t number_from(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

void run_random(uint32_t first, uint32_t count, const RandomModuleOptions& shape, bool passes) {
  for (uint32_t seed = first; seed < first + count; ++seed) {
    const compiler::ir::Module module = random_module(seed, shape);
    CompareOptions options;
    options.seed = seed;
    options.passes = passes;
    options.f32_tolerance = 2e-3;
    // The machines differ in SBUF and in what is worth moving to which engine.
    options.machine = seed % 4 == 0 ? "trn1" : seed % 4 == 1 ? "trn3" : "trn2";
    const std::string difference = compare_compiled(module, options);
    ASSERT_EQ(difference, "") << "seed " << seed << "\n" << compiler::ir::print_text(module);
  }
}

TEST(RandomModule, CompiledEqualsEvaluated) {
  run_random(number_from("LANEWISE_RANDOM_SEED", 1), number_from("LANEWISE_RANDOM_COUNT", 200), {}, false);
}

TEST(RandomModule, CompiledEqualsEvaluatedAfterThePasses) {
  run_random(number_from("LANEWISE_RANDOM_SEED", 1001), number_from("LANEWISE_RANDOM_COUNT", 200), {}, true);
}

TEST(RandomModule, DeepPrograms) {
  run_random(number_from("LANEWISE_RANDOM_SEED", 5001), number_from("LANEWISE_RANDOM_COUNT", 40), {60, 1500}, true);
}

// Several tiles in every direction.
TEST(RandomModule, LargeTensors) {
  run_random(number_from("LANEWISE_RANDOM_SEED", 9001), number_from("LANEWISE_RANDOM_COUNT", 20), {5, 200000}, true);
}

}  // namespace
}  // namespace lanewise::test
