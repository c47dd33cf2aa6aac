// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/profile_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanewise::torch_backend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ProfileText, nothing_asked_means_no_files_and_no_device_stream) {
  const auto settings = parse_profile_text("");
  ASSERT_TRUE(settings.ok());
  EXPECT_FALSE(settings->options.write_files);
  EXPECT_FALSE(settings->options.device);
  EXPECT_TRUE(settings->options.correlate_device_time);
}

TEST(ProfileText, reads_every_key) {
  const auto settings = parse_profile_text(
      "modes:RUNTIME,CPU_UTIL;max_events_per_nc:7;capture_enabled_for_nc:0,2-4;profile_output_dir:/tmp/a%3Db%23c%3B;"
      "neff_cache_dir:/n;precache_node_info:0;correlate_device_time:0");
  ASSERT_TRUE(settings.ok()) << settings.status().message();
  const auto& options = settings->options;
  EXPECT_TRUE(options.write_files);
  EXPECT_FALSE(options.device);
  EXPECT_TRUE(options.runtime);
  EXPECT_TRUE(options.cpu_util);
  EXPECT_FALSE(options.host_memory);
  EXPECT_EQ(options.max_events_per_nc, 7u);
  EXPECT_THAT(options.cores, ElementsAre(0, 2, 3, 4));
  EXPECT_EQ(options.profile_output_dir, "/tmp/a=b#c;");
  EXPECT_EQ(options.neff_cache_dir, "/n");
  EXPECT_FALSE(options.precache_node_info);
  EXPECT_FALSE(options.correlate_device_time);
  EXPECT_TRUE(settings->unknown.empty());
}

TEST(ProfileText, older_hand_written_form_has_the_default_streams) {
  const auto settings = parse_profile_text("max_events_per_nc:100000;host_memory:true;profile_output_dir:./out");
  ASSERT_TRUE(settings.ok());
  EXPECT_TRUE(settings->options.device);
  EXPECT_TRUE(settings->options.runtime);
  EXPECT_TRUE(settings->options.host_memory);
}

TEST(ProfileText, text_of_another_tool_asks_for_nothing) {
  const auto settings = parse_profile_text("{\"backend\": 1}");
  ASSERT_TRUE(settings.ok());
  EXPECT_FALSE(settings->options.write_files);
  EXPECT_EQ(settings->unknown.size(), 1u);
}

TEST(ProfileText, wrong_values_are_named) {
  for (const char* text : {"modes:DEVICE,FAST", "max_events_per_nc:0", "max_events_per_nc:9x", "capture_enabled_for_nc:3-1",
                           "capture_enabled_for_nc:70000", "precache_node_info:maybe", "profile_output_dir:",
                           "profile_output_dir:%4", "profile_output_dir:%zz"}) {
    const auto settings = parse_profile_text(text);
    ASSERT_FALSE(settings.ok()) << text;
    const std::string key(text, std::string_view(text).find(':'));
    EXPECT_THAT(settings.status().message(), HasSubstr(key)) << text;
  }
}

TEST(ProfileText, CoresThatAreNotThereAreNamed) {
  EXPECT_EQ(missing_cores_text("key", {0, 1}, 2), "");
  EXPECT_EQ(missing_cores_text("key", {}, 1), "");
  EXPECT_EQ(missing_cores_text("key", {0, 3}, 2), "key names core 3; this process has cores 0 to 1");
  EXPECT_EQ(missing_cores_text("key", {7}, 1), "key names core 7; this process has core 0 only, so the capture holds no device");
  const std::string many = missing_cores_text("key", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 1);
  EXPECT_EQ(many, "key names cores 1, 2, 3, 4, 5, 6, 7, 8 and 2 more; this process has core 0 only");
}

}  // namespace
}  // namespace lanewise::torch_backend
