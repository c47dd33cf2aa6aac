// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the tokens of the two text forms of the compiler (graph and module). White space, line ends and comments
// (`//` or `#` to the end of the line) separate tokens and mean nothing else. Every error says the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/dtype.h"

namespace lanewise::compiler::ir {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end();
  // The next character that is not white space, 0 at the end.
  char peek();
  // Consumes `token` if it comes next. A word token must end there: "in" does not match "input".
  bool accept(std::string_view token);
  // Whether `accept` would take this token.
  bool comes(std::string_view token);
  Status expect(std::string_view token);
  // Letters, digits, '_', '.' and ':' of a name such as aten::mul.Tensor; `what` is for the error.
  Result<std::string_view> word(std::string_view what);
  // "%name", without the '%'.
  Result<std::string_view> value_name();
  // The spelling of a number, with sign: digits, '.', exponent, inf, nan.
  Result<std::string_view> number();
  Result<int64_t> integer();
  Result<double> floating();
  // "..." with \" and \\ inside.
  Result<std::string> quoted();
  Result<isa::DType> dtype();
  // `open` integers, separated by commas, `close`.
  Result<std::vector<int64_t>> integers(char open, char close);
  // An error about what comes next.
  Status fail(std::string_view message);
  // An error about what was just read.
  Status reject(std::string_view message) const;

 private:
  void skip();
  std::string_view text_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

// The shortest spelling that reads back as the same double, always with '.', 'e', inf or nan.
std::string spell(double value);
std::string spell(const std::vector<int64_t>& values, char open, char close);
std::string spell_quoted(std::string_view text);

// The product of `sizes`, or -1 when a size is negative or the product is above 2^48.
int64_t checked_elements(const std::vector<int64_t>& sizes);

}  // namespace lanewise::compiler::ir
