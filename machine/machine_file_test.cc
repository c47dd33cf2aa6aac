// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged machine files: each is a preset with one edit, and the error names file, line, key and reason.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>

#include "machine/keys.h"
#include "machine/machine.h"

namespace lanewise::machine {
namespace {

std::string preset_text(const std::string& name) {
  std::ifstream in(LANEWISE_MACHINE_DATA "/" + name + ".toml");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class MachineFileTest : public testing::Test {
 protected:
  void SetUp() override { path_ = testing::TempDir() + "machine_" + std::to_string(getpid()) + ".toml"; }
  void TearDown() override { std::remove(path_.c_str()); }

  // Message of loading trn2 with `from` replaced by `to`, without the path; the number of the edited line reads LINE.
  std::string refused(const std::string& from, const std::string& to) {
    std::string text = preset_text("trn2");
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at + (from[0] == '\n')), '\n');
    std::string message = refused_text(text.replace(at, from.size(), to));
    const std::string number = ":" + std::to_string(line) + ":";
    return message.starts_with(number) ? message.replace(0, number.size(), ":LINE:") : message;
  }
  std::string refused_text(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    const auto machine = load_machine(path_);
    EXPECT_FALSE(machine.ok());
    if (machine.ok()) return "";
    EXPECT_EQ(machine.status().code(), StatusCode::invalid_argument);
    EXPECT_TRUE(machine.status().message().starts_with(path_)) << machine.status().message();
    return machine.status().message().substr(path_.size());
  }

  std::string path_;
};

TEST_F(MachineFileTest, AFileLoadsByPathAndTakesOverrides) {
  std::ofstream(path_) << preset_text("trn1");
  const auto machine = load_machine(path_ + ",dma.engines=2");
  ASSERT_TRUE(machine.ok()) << machine.status().to_string();
  EXPECT_EQ(machine->name, "trn1");
  EXPECT_EQ(machine->dma.engines, 2);
  EXPECT_EQ(machine->spec, path_ + ",dma.engines=2");
}

TEST_F(MachineFileTest, TheFileHasTheKeysInTheOrderOfTheTable) {
  for (const std::string& name : preset_names()) {
    const std::string text = preset_text(name);
    size_t at = 0;
    for (const Key& key : keys()) {
      const std::string_view leaf = key.path.substr(key.path.find('.') + 1);
      at = text.find("\n" + std::string(leaf) + " = ", at);
      ASSERT_NE(at, std::string::npos) << name << " " << key.path;
    }
  }
}

TEST_F(MachineFileTest, RefusedFiles) {
  EXPECT_EQ(refused("engines = { value = 16,", "engines = { value = 16.0,"),
            ":LINE: dma.engines: value must be an integer or a boolean, is floating-point");
  EXPECT_EQ(refused("engines = { value = 16,", "engines = { value = nan,"),
            ":LINE: dma.engines: value must be an integer or a boolean, is floating-point");
  EXPECT_EQ(refused("engines = { value = 16,", "engines = { value = \"16\","),
            ":LINE: dma.engines: value must be an integer or a boolean, is string");
  EXPECT_EQ(refused("engines = { value = 16,", "engines = { value = true,"),
            ":LINE: dma.engines: must be an integer, is a boolean");
  EXPECT_EQ(refused("engines = { value = 16,", "engines = { value = -16,"), ":LINE: dma.engines: must be 1 to 1024, is -16");
  EXPECT_EQ(refused("engines = { value = 16,", "engines = { value = 0,"), ":LINE: dma.engines: must be 1 to 1024, is 0");
  EXPECT_EQ(refused("perf_modes = { value = true,", "perf_modes = { value = 1,"),
            ":LINE: vector.perf_modes: must be true or false");
  EXPECT_EQ(refused("\nengines = {", "\nengine = {"), ":LINE: dma.engine: unknown key; the nearest is dma.engines");
  EXPECT_EQ(refused("[gpsimd]", "[gpsim]"), ":70: gpsim.clock_khz: unknown key; the nearest is gpsimd.clock_khz");
  EXPECT_EQ(refused("\nwide_stride_bytes", "\n#"), ": memory.wide_stride_bytes: missing");
  EXPECT_EQ(refused("name = \"trn2\"", ""), ": name: missing");
  EXPECT_EQ(refused("name = \"trn2\"", "name = 2"), ":LINE: name: must be a text");
  EXPECT_EQ(refused("engines = { value = 16, source", "engines = { value = 16, sauce"),
            ":LINE: dma.engines: has a field 'sauce'; only value and source are known");
  EXPECT_EQ(refused("engines = { value = 16, source = \"NC, DMAO: 16 engines a core\" }", "engines = { value = 16 }"),
            ":LINE: dma.engines: has no source; say where the number comes from, or \"assumed: reason\"");
  EXPECT_EQ(refused("engines = { value = 16, source = \"NC, DMAO: 16 engines a core\" }", "engines = 16"),
            ":LINE: dma.engines: must be { value = ..., source = \"...\" }, is integer");
  EXPECT_EQ(refused("name = \"trn2\"", "name = \"trn2\"\ndma_engines = 3"),
            ":13: dma_engines: must be a section such as [dma], not a value of its own");
  EXPECT_EQ(refused("descriptor_min_bytes = { value = 0,", "descriptor_min_bytes = { value = 65536,"),
            ": dma.descriptor_min_bytes (65536) must not be above dma.descriptor_max_bytes (32768)");
  EXPECT_TRUE(refused("[dma]", "[dma").starts_with(":LINE: not valid TOML: "));
  EXPECT_EQ(refused_text(""), ": name: missing");
}

TEST_F(MachineFileTest, WhatIsNoFileIsSaidSo) {
  EXPECT_EQ(load_machine("/dev/zero").status().message(), "/dev/zero: larger than 1 MiB, so not a machine file");
  EXPECT_EQ(load_machine(testing::TempDir()).status().message(), testing::TempDir() + ": cannot read this machine file");
}

TEST_F(MachineFileTest, DamagedBytesNeverDoMoreThanFail) {
  const std::string good = preset_text("trn3");
  std::mt19937 random(7);
  int failures = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = good;
    for (int edits = 1 + round % 4; edits > 0; --edits) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, 1 + random() % 20); break;
        default: text.resize(at + 1);
      }
    }
    std::ofstream(path_, std::ios::binary) << text;
    const auto machine = load_machine(path_);
    if (machine.ok()) continue;  // the damage hit a comment or a digit that is still in range
    ++failures;
    EXPECT_TRUE(machine.status().message().starts_with(path_)) << machine.status().message();
  }
  EXPECT_GT(failures, 200);
}

}  // namespace
}  // namespace lanewise::machine
