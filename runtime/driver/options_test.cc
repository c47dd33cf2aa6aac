// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "runtime/driver/drivers.h"

namespace lanewise::runtime {
namespace {

constexpr const char* kVariables[] = {"LANEWISE_MACHINE",    "LANEWISE_DEVICES", "NEURON_RT_VISIBLE_CORES",
                                      "NEURON_RT_NUM_CORES", "LANEWISE_PACING",  "LANEWISE_CHECK_HAZARDS",
                                      "LANEWISE_DEVICE_MEMORY"};

struct OptionsTest : testing::Test {
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name : kVariables) unsetenv(name);
  }
  static DriverOptions with(const char* name, const char* value) {
    setenv(name, value, 1);
    auto options = options_from_environment();
    EXPECT_TRUE(options.ok()) << options.status().to_string();
    return options.ok() ? *options : DriverOptions{};
  }
  // The error names variable, value and what is accepted.
  static void refuses(const char* name, const char* value, const char* accepted) {
    clear();
    setenv(name, value, 1);
    auto options = options_from_environment();
    ASSERT_FALSE(options.ok()) << name << "=" << value;
    EXPECT_EQ(options.status().code(), StatusCode::invalid_argument);
    for (const std::string& part : {std::string(name), "'" + std::string(value) + "'", std::string(accepted)})
      EXPECT_NE(options.status().message().find(part), std::string::npos) << options.status().message();
  }
};

TEST_F(OptionsTest, nothing_set) {
  auto options = options_from_environment();
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->machine, "");
  EXPECT_EQ(options->devices, 2);
  EXPECT_TRUE(options->pacing);
  EXPECT_FALSE(options->check_hazards);
  EXPECT_EQ(options->memory_bytes, 0);
  for (const char* name : kVariables) setenv(name, "", 1);
  EXPECT_EQ(options_from_environment()->devices, 2);
}

TEST_F(OptionsTest, visible_cores_are_counted) {
  EXPECT_EQ(with("NEURON_RT_VISIBLE_CORES", "0").devices, 1);
  EXPECT_EQ(with("NEURON_RT_VISIBLE_CORES", "0,1").devices, 2);
  EXPECT_EQ(with("NEURON_RT_VISIBLE_CORES", "0-3").devices, 4);
  EXPECT_EQ(with("NEURON_RT_VISIBLE_CORES", "4-7").devices, 4);
  EXPECT_EQ(with("NEURON_RT_VISIBLE_CORES", "0,2-3").devices, 3);
  for (const char* bad : {"x", "0,", ",0", "-1", "3-1", "0-", "0,0", "0-2,1", "0 1", "0-99999999999999999999", "1.5"})
    refuses("NEURON_RT_VISIBLE_CORES", bad, "0 or 0,1 or 0-3");
}

TEST_F(OptionsTest, counts_and_who_goes_first) {
  EXPECT_EQ(with("NEURON_RT_NUM_CORES", "3").devices, 3);
  EXPECT_EQ(with("NEURON_RT_VISIBLE_CORES", "0").devices, 1);
  EXPECT_EQ(with("LANEWISE_DEVICES", "5").devices, 5);
  for (const char* bad : {"0", "-1", "two", "1x", "100000"}) {
    refuses("LANEWISE_DEVICES", bad, "a number of devices");
    refuses("NEURON_RT_NUM_CORES", bad, "a number of devices");
  }
  setenv("LANEWISE_DEVICES", "1", 1);   // a bad weaker variable is still an error
  EXPECT_FALSE(options_from_environment().ok());
}

TEST_F(OptionsTest, switches) {
  EXPECT_FALSE(with("LANEWISE_PACING", "off").pacing);
  EXPECT_TRUE(with("LANEWISE_PACING", "on").pacing);
  EXPECT_FALSE(with("LANEWISE_PACING", "0").pacing);
  EXPECT_TRUE(with("LANEWISE_CHECK_HAZARDS", "1").check_hazards);
  refuses("LANEWISE_PACING", "maybe", "on or off");
  refuses("LANEWISE_CHECK_HAZARDS", "yes", "on or off");
}

TEST_F(OptionsTest, sizes) {
  EXPECT_EQ(with("LANEWISE_DEVICE_MEMORY", "4g").memory_bytes, int64_t{4} << 30);
  EXPECT_EQ(with("LANEWISE_DEVICE_MEMORY", "512M").memory_bytes, int64_t{512} << 20);
  EXPECT_EQ(with("LANEWISE_DEVICE_MEMORY", "64k").memory_bytes, 65536);
  EXPECT_EQ(with("LANEWISE_DEVICE_MEMORY", "1t").memory_bytes, int64_t{1} << 40);
  EXPECT_EQ(with("LANEWISE_DEVICE_MEMORY", "1073741824").memory_bytes, int64_t{1} << 30);
  for (const char* bad : {"0", "g", "-4g", "4gb", "1.5g", "999999t", "99999999999999999999"})
    refuses("LANEWISE_DEVICE_MEMORY", bad, "4g");
}

TEST_F(OptionsTest, machine_is_passed_on_and_checked_by_the_driver) {
  DriverOptions options = with("LANEWISE_MACHINE", "trn9");
  EXPECT_EQ(options.machine, "trn9");
  auto driver = create_driver("null", options);
  ASSERT_FALSE(driver.ok());
  EXPECT_NE(driver.status().message().find("trn9"), std::string::npos) << driver.status().message();
}

TEST_F(OptionsTest, driver_takes_what_is_left_open_from_the_environment) {
  setenv("LANEWISE_DEVICES", "3", 1);
  setenv("LANEWISE_MACHINE", "trn2,exec_overhead_ns=7", 1);
  auto driver = create_driver("null", {});
  ASSERT_TRUE(driver.ok()) << driver.status().to_string();
  EXPECT_EQ((*driver)->device_count(), 3);
  EXPECT_EQ((*(*driver)->device(0))->machine().host.exec_overhead_ns, 7);
}

TEST_F(OptionsTest, unknown_driver_lists_the_known_ones) {
  auto driver = create_driver("gpu", {});
  ASSERT_FALSE(driver.ok());
  EXPECT_EQ(driver.status().code(), StatusCode::not_found);
  for (std::string_view name : driver_names())
    EXPECT_NE(driver.status().message().find(name), std::string::npos) << driver.status().message();
}

}  // namespace
}  // namespace lanewise::runtime
