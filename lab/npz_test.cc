// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// That NumPy reads and writes the same is tested in tests/device.
#include "lab/npz.h"

#include <gtest/gtest.h>

namespace lanewise::lab {
namespace {

TEST(Npz, ArraysComeBack) {
  const Arrays arrays = {{"x", {"float32", {2, 3}, std::string(24, 'a')}}, {"one", {"int64", {}, std::string(8, '\1')}},
                         {"half", {"float16", {5}, std::string(10, 'h')}}};
  auto bytes = write_npz(arrays);
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  auto back = read_npz(*bytes);
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  ASSERT_EQ(back->size(), 3u);
  for (const auto& [name, array] : arrays) {
    EXPECT_EQ(back->at(name).dtype, array.dtype);
    EXPECT_EQ(back->at(name).shape, array.shape);
    EXPECT_EQ(back->at(name).bytes, array.bytes);
  }
}

TEST(Npz, DamageIsNamed) {
  const auto bytes = write_npz({{"x", {"float32", {2, 3}, std::string(24, 'a')}}});
  EXPECT_EQ(read_npz("no zip at all").status().code(), StatusCode::data_loss);
  EXPECT_EQ(read_npz(std::string_view(*bytes).substr(0, 60)).status().code(), StatusCode::data_loss);
  std::string other = *bytes;
  other[other.find("NUMPY")] = 'X';
  EXPECT_FALSE(read_npz(other).ok());
}

}  // namespace
}  // namespace lanewise::lab
