// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/environment_capture.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanewise::torch_backend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Environment with(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(std::string_view(name).substr(std::string_view("NEURON_RT_INSPECT_").size()).data());
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

TEST(EnvironmentCapture, nothing_without_the_switch) {
  for (const auto& environment : {with({}), with({{"ENABLE", "0"}, {"DEVICE_PROFILE", "1"}}), with({{"ENABLE", ""}})}) {
    const auto options = capture_from_environment(environment);
    ASSERT_TRUE(options.ok());
    EXPECT_FALSE(options->has_value());
  }
}

TEST(EnvironmentCapture, the_switch_alone_is_the_system_profile) {
  const auto options = capture_from_environment(with({{"ENABLE", "1"}}));
  ASSERT_TRUE(options.ok());
  ASSERT_TRUE(options->has_value());
  EXPECT_TRUE((*options)->runtime);
  EXPECT_FALSE((*options)->device);
  EXPECT_TRUE((*options)->write_files);
  EXPECT_EQ((*options)->profile_output_dir, "./output");
}

TEST(EnvironmentCapture, reads_every_variable) {
  const auto options = capture_from_environment(with({{"ENABLE", "1"},
                                                      {"OUTPUT_DIR", "/tmp/x"},
                                                      {"SYSTEM_PROFILE", "0"},
                                                      {"DEVICE_PROFILE", "session"},
                                                      {"CPU_UTIL", "1"},
                                                      {"HOST_MEMORY", "1"},
                                                      {"EVENT_FILTER_NC", "0,2-3"},
                                                      {"SYS_TRACE_MAX_EVENTS_PER_NC", "5"}}));
  ASSERT_TRUE(options.ok()) << options.status().message();
  const auto& o = **options;
  EXPECT_FALSE(o.runtime);
  EXPECT_TRUE(o.device && o.cpu_util && o.host_memory);
  EXPECT_EQ(o.profile_output_dir, "/tmp/x");
  EXPECT_THAT(o.cores, ElementsAre(0, 2, 3));
  EXPECT_EQ(o.max_events_per_nc, 5u);
}

TEST(EnvironmentCapture, wrong_values_name_the_variable) {
  const std::map<std::string, std::string> wrong{{"DEVICE_PROFILE", "2"},        {"SYSTEM_PROFILE", "x"},
                                                 {"EVENT_FILTER_NC", "a"},       {"SYS_TRACE_MAX_EVENTS_PER_NC", "0"},
                                                 {"EVENT_FILTER_TYPE", "hardware"}};
  for (const auto& [name, value] : wrong) {
    const auto options = capture_from_environment(with({{"ENABLE", "1"}, {name, value}}));
    ASSERT_FALSE(options.ok()) << name;
    EXPECT_THAT(options.status().message(), HasSubstr("NEURON_RT_INSPECT_" + name));
  }
}

}  // namespace
}  // namespace lanewise::torch_backend
