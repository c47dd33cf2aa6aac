// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/conformance/suite.h"

#include <set>

namespace lanewise::runtime::conformance {

INSTANTIATE_TEST_SUITE_P(driver, Conformance, testing::ValuesIn(driver_names()),
                         [](const auto& info) { return std::string(info.param); });

// A gap whose test has another name by now would hide nothing and tell a lie.
TEST(ConformanceGaps, name_tests_and_have_reasons) {
  std::set<std::string> tests;
  const auto& unit = *testing::UnitTest::GetInstance();
  for (int s = 0; s < unit.total_test_suite_count(); ++s)
    for (int t = 0; t < unit.GetTestSuite(s)->total_test_count(); ++t) {
      const std::string full = unit.GetTestSuite(s)->GetTestInfo(t)->name();
      tests.insert(full.substr(0, full.find('/')));
    }
  for (std::string_view driver : driver_names())
    for (const KnownGap& gap : driver_gaps(driver)) {
      EXPECT_TRUE(tests.count(std::string(gap.test))) << driver << " lists " << gap.test;
      EXPECT_FALSE(gap.reason.empty()) << driver << " " << gap.test;
    }
}

TEST_P(Conformance, driver_has_its_name_and_devices) {
  EXPECT_EQ(driver_->name(), GetParam());
  EXPECT_EQ(driver_->device_count(), 2);
  EXPECT_EQ(take(driver_->device(1))->index(), 1);
  EXPECT_EQ(take(driver_->device(0)), device_);
  EXPECT_EQ(device_->machine().name, "trn2");
}

TEST_P(Conformance, device_out_of_range_names_the_range) {
  for (int index : {-1, 2}) {
    auto device = driver_->device(index);
    ASSERT_FALSE(device.ok());
    EXPECT_EQ(device.status().code(), StatusCode::out_of_range);
    EXPECT_NE(device.status().message().find("neuron:0 to neuron:1"), std::string::npos) << device.status().message();
  }
}

TEST_P(Conformance, more_devices_than_cores_is_refused) {
  options_.devices = 100000;
  auto driver = create_driver(GetParam(), options_);
  ASSERT_FALSE(driver.ok());
  EXPECT_EQ(driver.status().code(), StatusCode::out_of_range);
}

}  // namespace lanewise::runtime::conformance
