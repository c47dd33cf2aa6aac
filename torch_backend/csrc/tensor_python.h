// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// at::Tensor <-> Python object for our nanobind module. The headers behind this cost half a minute of compile time, so
// one file includes them and everybody else sees these two functions.
#pragma once

#include <Python.h>

#include <exception>
#include <optional>
#include <string>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace lanewise::torch_backend {

bool is_tensor(PyObject* object) noexcept;
at::Tensor unpack_tensor(PyObject* object);      // TypeError when it is not a tensor; GIL held
PyObject* wrap_tensor(at::Tensor tensor);        // new reference; GIL held

PyObject* wrap_generator(const at::Generator& generator);   // the same object each time, as PyTorch wants; GIL held

// Sets the Python error that torch itself would set for a C++ exception; GIL held.
void translate_exception(const std::exception_ptr& exception);

// The sentence of a Python NotImplementedError that came through C++ (meta kernels in Python raise it); nothing for any
// other exception. Takes the GIL itself.
std::optional<std::string> python_not_implemented(const std::exception_ptr& exception);

}  // namespace lanewise::torch_backend
