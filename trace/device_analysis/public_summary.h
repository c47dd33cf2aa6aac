// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The public Summary row (schema 7.4.0): all its columns under their names, in their order, with their units (seconds;
// "percent" columns are fractions of 1, as the public tool prints them). A column that a profile cannot fill has no value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/device_analysis/options.h"

namespace lanewise::trace::device_analysis {

struct PublicValue {
  std::string name;
  bool integer = false;
  std::optional<int64_t> whole;
  std::optional<double> real;

  bool known() const { return integer ? whole.has_value() : real.has_value(); }
};

// The 101 columns of the table Summary.
std::vector<PublicValue> public_summary(const Subject& subject);

// What the text form prints besides: nc_idx, nd_idx, and throttle_avg_util_limit_nc<N>_percent of each core.
std::vector<PublicValue> public_summary_extras(const Subject& subject);

}  // namespace lanewise::trace::device_analysis
