// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole stages by kind. Each module is small enough to read and large enough to need more than one tile somewhere.
#include "tests/numerics/compiled_run.h"

#include <gtest/gtest.h>

namespace lanewise::test {
namespace {

void expect_equal(const std::string& text, const CompareOptions& options = {}) { EXPECT_EQ(compare_compiled(text, options), "") << text; }

std::string pointwise(const std::string& shape, const std::string& strides) {
  return "module \"m\" {\n  %0 = input 0 : f32[" + shape + "]{" + strides + "}\n  %1 = input 1 : f32[" + shape + "]{" + strides +
         "}\n  %2 = binary multiply %0, %1 : f32[" + shape + "]\n  %3 = binary add %2, %0 : f32[" + shape + "]\n  store %3 to output 0 {" +
         strides + "}\n}";
}

TEST(CompiledRun, PointwiseOfAnySize) {
  expect_equal(pointwise("", ""));
  expect_equal(pointwise("1", "1"));
  expect_equal(pointwise("7", "1"));
  expect_equal(pointwise("1,7", "7,1"));
  expect_equal(pointwise("3,5,129", "645,129,1"));
  expect_equal(pointwise("8191", "1"));
  expect_equal(pointwise("130,1000", "1000,1"));
  expect_equal(pointwise("1000000", "1"));
  expect_equal(pointwise("17,3", "1,17"));
  expect_equal(pointwise("17,300", "512,1"));
}

TEST(CompiledRun, RowReductionsAreOneStage) {
  for (const char* shape : {"4,512", "300,33", "1,7", "200,5000", "5,70001"}) {
    const std::string s = shape;
    const std::string rows = s.substr(0, s.find(',')), columns = s.substr(s.find(',') + 1);
    expect_equal("module \"softmax\" {\n  %0 = input 0 : f32[" + s + "]{" + columns + ",1}\n  %1 = reduce maximum dims [1] %0 : f32[" + rows +
                 ",1]\n  %2 = binary subtract %0, %1 : f32[" + s + "]\n  %3 = unary exp %2 : f32[" + s +
                 "]\n  %4 = reduce add dims [1] %3 : f32[" + rows + ",1]\n  %5 = binary divide %3, %4 : f32[" + s +
                 "]\n  store %5 to output 0 {" + columns + ",1}\n}");
  }
}

TEST(CompiledRun, ColumnReductions) {
  for (const char* dtype : {"f32", "bf16"}) {
    const std::string d = dtype;
    for (const char* shape : {"4,512", "300,33", "1000,128", "513,700"}) {
      const std::string s = shape;
      const std::string columns = s.substr(s.find(',') + 1);
      expect_equal("module \"sum\" {\n  %0 = input 0 : " + d + "[" + s + "]{" + columns + ",1}\n  %1 = convert %0 : f32[" + s +
                   "]\n  %2 = reduce add dims [0] %1 : f32[1," + columns + "]\n  %3 = convert %2 : " + d + "[1," + columns +
                   "]\n  store %3 to output 0 {" + columns + ",1}\n}");
    }
  }
}

std::string reduction(const std::string& dtype, const std::string& alu, const std::string& shape, const std::string& strides, const std::string& dims,
                      const std::string& result, const std::string& result_strides) {
  return "module \"r\" {\n  %0 = input 0 : " + dtype + "[" + shape + "]{" + strides + "}\n  %1 = reduce " + alu + " dims [" + dims + "] %0 : " + dtype + "[" +
         result + "]\n  %2 = binary add %1, %1 : " + dtype + "[" + result + "]\n  store %2 to output 0 {" + result_strides + "}\n}";
}

TEST(CompiledRun, ReductionsToFewResults) {
  for (const char* dtype : {"f32", "i64", "i32"}) {
    for (const char* alu : {"add", "maximum"}) {
      expect_equal(reduction(dtype, alu, "500,400", "400,1", "0,1", "1,1", "1,1"));
      expect_equal(reduction(dtype, alu, "20011", "1", "0", "1", "1"));
      expect_equal(reduction(dtype, alu, "30000,8", "8,1", "0", "1,8", "8,1"));
      expect_equal(reduction(dtype, alu, "3,40000", "40000,1", "1", "3,1", "1,1"));
      expect_equal(reduction(dtype, alu, "10,3,4000", "12000,4000,1", "0,2", "1,3,1", "3,1,1"));
      expect_equal(reduction(dtype, alu, "1300,30,20", "600,20,1", "0", "1,30,20", "600,20,1"));
    }
  }
}

TEST(CompiledRun, IntegersAreExact) {
  for (const char* dtype : {"i64", "i32", "i16", "i8", "u8"}) {
    const std::string d = dtype;
    expect_equal("module \"ints\" {\n  %0 = input 0 : " + d + "[37,50]{50,1}\n  %1 = input 1 : " + d + "[37,50]{50,1}\n  %2 = binary multiply %0, %1 : " + d +
                 "[37,50]\n  %3 = binary add %2, %1 : " + d + "[37,50]\n  %4 = reduce add dims [1] %3 : " + d +
                 "[37,1]\n  %5 = binary less %0, %1 : bool[37,50]\n  %6 = select %5, %3, %0 : " + d + "[37,50]\n  %7 = binary floor_divide %6, %1 : " + d +
                 "[37,50]\n  %8 = unary abs %7 : " + d + "[37,50]\n  store %4 to output 0 {1,1}\n  store %5 to output 1 {50,1}\n  store %8 to output 2 {50,1}\n}");
  }
}

TEST(CompiledRun, Conversions) {
  for (const char* from : {"f32", "bf16", "f16", "i64", "i32", "i16", "i8", "u8", "bool"}) {
    for (const char* to : {"f32", "bf16", "f16", "i64", "i32", "i16", "i8", "u8", "bool"}) {
      const std::string f = from, t = to;
      CompareOptions options;
      expect_equal("module \"convert\" {\n  %0 = input 0 : " + f + "[9,40]{40,1}\n  %1 = convert %0 : " + t + "[9,40]\n  store %1 to output 0 {40,1}\n}", options);
    }
  }
}

TEST(CompiledRun, ViewsFoldIntoAccesses) {
  expect_equal(R"(module "views" {
    %0 = input 0 : f32[6,20,8]{160,8,1}
    %1 = permute dims [2,0,1] %0 : f32[8,6,20]
    %2 = reshape %1 : f32[48,20]
    %3 = slice starts [47,3] steps [-1,2] %2 : f32[48,8]
    %4 = unary exp %3 : f32[48,8]
    %5 = reshape %4 : f32[2,24,8]
    %6 = input 1 : f32[24]{1}
    %7 = reshape %6 : f32[1,24,1]
    %8 = binary add %5, %7 : f32[2,24,8]
    store %8 to output 0 {192,8,1}
  })");
}

TEST(CompiledRun, TransposedCopies) {
  for (const char* dtype : {"f32", "bf16", "i64", "i32", "u8"}) {
    const std::string d = dtype;
    expect_equal("module \"t\" {\n  %0 = input 0 : " + d + "[200,300]{300,1}\n  %1 = permute dims [1,0] %0 : " + d +
                 "[300,200]\n  store %1 to output 0 {200,1}\n}");
  }
}

TEST(CompiledRun, ConcatPadIotaGather) {
  expect_equal(R"(module "parts" {
    %0 = input 0 : f32[5,30]{30,1}
    %1 = input 1 : f32[5,7]{7,1}
    %2 = unary exp %1 : f32[5,7]
    %3 = concat dims [1] %0, %2, %0 : f32[5,67]
    %4 = constant -1.5 : f32[1,1]
    %5 = pad starts [1,2] steps [2,1] %3, %4 : f32[12,70]
    %6 = binary multiply %5, %5 : f32[12,70]
    store %6 to output 0 {70,1}
    store %3 to output 1 {67,1}
  })");
  expect_equal(R"(module "count" {
    %0 = iota dims [1] start 5 step -3 : i64[7,9,11]
    %1 = iota dims [2] start 0 step 1 : i64[7,9,11]
    %2 = binary multiply %0, %1 : i64[7,9,11]
    %3 = iota dims [0] start 2 step 2 : f32[7,9,11]
    store %2 to output 0 {99,11,1}
    store %3 to output 1 {99,11,1}
  })");
}

TEST(CompiledRun, StoresHappenAfterAllReads) {
  // In place, element for element: directly.
  expect_equal(R"(module "in place" {
    %0 = input 0 : f32[300]{1}
    %1 = binary add %0, %0 : f32[300]
    store %1 to input 0
  })");
  // Reversed in place, and the old values used by a later reduction.
  expect_equal(R"(module "reversed" {
    %0 = input 0 : f32[64,300]{300,1}
    %1 = slice starts [63,299] steps [-1,-1] %0 : f32[64,300]
    store %1 to input 0
    %2 = reduce add dims [0] %0 : f32[1,300]
    store %2 to output 0 {300,1}
  })");
  expect_equal(R"(module "softmax in place" {
    %0 = input 0 : f32[64,300]{300,1}
    %1 = reduce add dims [1] %0 : f32[64,1]
    %2 = binary divide %0, %1 : f32[64,300]
    store %2 to input 0
  })");
}

std::string matmul(int m, int k, int n, bool a_transposed, bool b_transposed, const std::string& dtype) {
  const auto operand = [&](int rows, int columns, bool transposed, int number, int at) {
    const std::string shape = std::to_string(rows) + "," + std::to_string(columns);
    const std::string strides = transposed ? "1," + std::to_string(rows) : std::to_string(columns) + ",1";
    return "  %" + std::to_string(at) + " = input " + std::to_string(number) + " : " + dtype + "[" + shape + "]{" + strides + "}\n";
  };
  const std::string shape = std::to_string(m) + "," + std::to_string(n);
  return "module \"mm\" {\n" + operand(m, k, a_transposed, 0, 0) + operand(k, n, b_transposed, 1, 1) + "  %2 = matmul %0, %1 : " + dtype + "[" + shape +
         "]\n  store %2 to output 0 {" + std::to_string(n) + ",1}\n}";
}

TEST(CompiledRun, MatmulOfAnySizeAndOrder) {
  for (const char* dtype : {"f32", "bf16", "f16", "f8e4m3", "f8e5m2"}) {
    for (bool a : {false, true}) {
      for (bool b : {false, true}) {
        expect_equal(matmul(1, 1, 1, a, b, dtype));
        expect_equal(matmul(4, 512, 7, a, b, dtype));
        expect_equal(matmul(130, 129, 600, a, b, dtype));
        expect_equal(matmul(1, 300, 200, a, b, dtype));
        expect_equal(matmul(300, 70, 1, a, b, dtype));
      }
    }
  }
}

TEST(CompiledRun, MatmulWithALongContraction) {
  CompareOptions options;
  options.f32_tolerance = 1e-3;
  expect_equal(matmul(40, 9000, 520, false, true, "f32"), options);
  expect_equal(matmul(600, 20000, 20, true, false, "f32"), options);
}

TEST(CompiledRun, BatchedMatmulWithViewsAndEpilogue) {
  CompareOptions options;
  options.f32_tolerance = 1e-4;
  expect_equal(R"(module "attention" {
    %0 = input 0 : f32[2,20,3,16]{960,48,16,1}
    %1 = permute dims [0,2,1,3] %0 : f32[2,3,20,16]
    %2 = input 1 : f32[2,25,3,16]{1200,48,16,1}
    %3 = permute dims [0,2,3,1] %2 : f32[2,3,16,25]
    %4 = matmul %1, %3 : f32[2,3,20,25]
    %5 = constant 0.25 : f32[1,1,1,1]
    %6 = binary multiply %4, %5 : f32[2,3,20,25]
    %7 = input 2 : f32[1,1,20,25]{500,500,25,1}
    %8 = binary add %6, %7 : f32[2,3,20,25]
    %9 = reduce maximum dims [3] %8 : f32[2,3,20,1]
    %10 = binary subtract %8, %9 : f32[2,3,20,25]
    %11 = unary exp %10 : f32[2,3,20,25]
    %12 = reduce add dims [3] %11 : f32[2,3,20,1]
    %13 = binary divide %11, %12 : f32[2,3,20,25]
    %14 = input 3 : f32[2,25,3,16]{1200,48,16,1}
    %15 = permute dims [0,2,1,3] %14 : f32[2,3,25,16]
    %16 = matmul %13, %15 : f32[2,3,20,16]
    %17 = permute dims [0,2,1,3] %16 : f32[2,20,3,16]
    %18 = reshape %17 : f32[40,48]
    %19 = input 4 : f32[48,48]{1,48}
    %20 = matmul %18, %19 : f32[40,48]
    %21 = input 5 : f32[1,48]{48,1}
    %22 = binary add %20, %21 : f32[40,48]
    %23 = unary tanh %22 : f32[40,48]
    %24 = reshape %23 : f32[2,20,48]
    store %24 to output 0 {960,48,1}
  })", options);
}

TEST(CompiledRun, LongChainsAreCut) {
  std::string text = "module \"chain\" {\n  %0 = input 0 : f32[130,40]{40,1}\n";
  for (int i = 1; i <= 3000; ++i) text += "  %" + std::to_string(i) + " = unary " + (i % 2 == 0 ? "tanh" : "sigmoid") + " %" + std::to_string(i - 1) + " : f32[130,40]\n";
  expect_equal(text + "  store %3000 to output 0 {40,1}\n}");
}

TEST(CompiledRun, ManyValuesAtOnce) {
  // Sixty inputs that are all needed together, in a pointwise stage and behind a matmul.
  std::string text = "module \"wide\" {\n  %0 = input 0 : f32[200,600]{600,1}\n  %1 = input 1 : f32[600,600]{600,1}\n  %2 = matmul %0, %1 : f32[200,600]\n";
  for (int i = 0; i < 60; ++i) text += "  %" + std::to_string(3 + i) + " = input " + std::to_string(2 + i) + " : f32[200,600]{600,1}\n";
  int next = 63;
  std::string products;
  for (int i = 0; i < 60; ++i) {
    text += "  %" + std::to_string(next) + " = binary multiply %" + std::to_string(3 + i) + ", %2 : f32[200,600]\n";
    ++next;
  }
  int sum = 63;
  for (int i = 1; i < 60; ++i) {
    text += "  %" + std::to_string(next) + " = binary add %" + std::to_string(sum) + ", %" + std::to_string(63 + i) + " : f32[200,600]\n";
    sum = next++;
  }
  CompareOptions options;
  options.f32_tolerance = 1e-3;
  expect_equal(text + "  store %" + std::to_string(sum) + " to output 0 {600,1}\n}", options);
}

TEST(CompiledRun, BroadcastBatch) {
  expect_equal(R"(module "linear" {
    %0 = input 0 : bf16[3,50,40]{4000,40,1}
    %1 = input 1 : bf16[1,40,30]{1200,1,40}
    %2 = matmul %0, %1 : f32[3,50,30]
    %3 = convert %2 : bf16[3,50,30]
    store %3 to output 0 {1500,30,1}
  })");
}

TEST(CompiledRun, ParametersAndConstants) {
  expect_equal(R"(module "scalars" params f64, i64 {
    %0 = input 0 : f32[50,60]{60,1}
    %1 = parameter 0 : f32[1,1]
    %2 = binary multiply %0, %1 : f32[50,60]
    %3 = parameter 1 : i64[1,1]
    %4 = convert %3 : f32[1,1]
    %5 = binary add %2, %4 : f32[50,60]
    %6 = constant 2.5 : f32[50,60]
    %7 = parameter 1 : i64[50,60]
    store %5 to output 0 {60,1}
    store %6 to output 1 {60,1}
    store %7 to output 2 {60,1}
  })");
}

}  // namespace
}  // namespace lanewise::test
