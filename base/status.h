// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Status and Result: how every room of the C++ core reports a failure that is not our own bug.
//
// - A function that can fail for the caller's reasons returns `Status` or `Result<T>`; it never throws.
// - A broken invariant of our own is `LW_CHECK`: it prints the place and aborts.
// - The one map from StatusCode to a Python exception is in the binding room; nobody else converts.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lanewise {

enum class StatusCode : unsigned char {
  ok = 0,
  invalid_argument,     // the caller passed something that can never work
  not_found,            // a name, file or key does not exist
  out_of_range,         // an index or a size is outside what the object has
  unimplemented,        // legal, but not built; the message says what to do instead
  resource_exhausted,   // memory, queue or disk is full
  failed_precondition,  // legal at another time or in another state
  data_loss,            // a file or a buffer is damaged
  deadline_exceeded,    // waited as long as it was told to
  cancelled,            // work dropped because earlier work on its queue failed
  internal,             // a bug of ours that could still be reported
};

std::string_view status_code_name(StatusCode code);

// Success is one null pointer; a failure carries a code and a sentence that says what to do.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : rep_(std::make_shared<const Rep>(Rep{code, std::move(message)})) {}

  bool ok() const { return rep_ == nullptr; }
  StatusCode code() const { return rep_ ? rep_->code : StatusCode::ok; }
  const std::string& message() const;
  // "invalid_argument: sentence", or "ok".
  std::string to_string() const;
  // The same failure with "context: " in front of the sentence.
  Status with_context(std::string_view context) const;

 private:
  struct Rep {
    StatusCode code;
    std::string message;
  };
  std::shared_ptr<const Rep> rep_;
};

inline Status ok_status() { return Status(); }
inline Status invalid_argument(std::string m) { return {StatusCode::invalid_argument, std::move(m)}; }
inline Status not_found(std::string m) { return {StatusCode::not_found, std::move(m)}; }
inline Status out_of_range(std::string m) { return {StatusCode::out_of_range, std::move(m)}; }
inline Status unimplemented(std::string m) { return {StatusCode::unimplemented, std::move(m)}; }
inline Status resource_exhausted(std::string m) { return {StatusCode::resource_exhausted, std::move(m)}; }
inline Status failed_precondition(std::string m) { return {StatusCode::failed_precondition, std::move(m)}; }
inline Status data_loss(std::string m) { return {StatusCode::data_loss, std::move(m)}; }
inline Status internal_error(std::string m) { return {StatusCode::internal, std::move(m)}; }

// Prints the sentence and the place, then aborts. For our own bugs only.
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message);

#define LW_CHECK(condition, message)                                        \
  do {                                                                      \
    if (!(condition)) [[unlikely]]                                          \
      ::lanewise::check_failed(__FILE__, __LINE__, #condition, (message));  \
  } while (false)

// A value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : has_value_(true) { new (&value_) T(std::move(value)); }  // NOLINT: implicit by design
  Result(Status status) : status_(std::move(status)) {                       // NOLINT: implicit by design
    LW_CHECK(!status_.ok(), "a Result needs a value or a failure");
  }
  Result(const Result& other) : status_(other.status_), has_value_(other.has_value_) {
    if (has_value_) new (&value_) T(other.value_);
  }
  Result(Result&& other) noexcept : status_(std::move(other.status_)), has_value_(other.has_value_) {
    if (has_value_) new (&value_) T(std::move(other.value_));
  }
  Result& operator=(Result other) noexcept {
    this->~Result();
    new (this) Result(std::move(other));
    return *this;
  }
  ~Result() {
    if (has_value_) value_.~T();
  }

  bool ok() const { return has_value_; }
  const Status& status() const { return status_; }
  T& value() & { return require(), value_; }
  const T& value() const& { return require(), value_; }
  T value() && { return require(), std::move(value_); }   // by value: `for (x : f().value())` must not dangle
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  void require() const { LW_CHECK(has_value_, status_.to_string()); }
  Status status_;
  bool has_value_ = false;
  union {
    T value_;
  };
};

#define LW_CONCAT_INNER(a, b) a##b
#define LW_CONCAT(a, b) LW_CONCAT_INNER(a, b)

#define LW_RETURN_IF_ERROR(expression)                  \
  do {                                                  \
    if (::lanewise::Status lw_status = (expression); !lw_status.ok()) return lw_status; \
  } while (false)

// LW_ASSIGN_OR_RETURN(auto x, make_x());
#define LW_ASSIGN_OR_RETURN(declaration, expression) \
  LW_ASSIGN_OR_RETURN_INNER(LW_CONCAT(lw_result_, __LINE__), declaration, expression)
#define LW_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                      \
  if (!result.ok()) return result.status();                        \
  declaration = std::move(result).value()

}  // namespace lanewise
