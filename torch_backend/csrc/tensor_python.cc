// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <torch/csrc/autograd/python_variable.h>

#include "torch_backend/csrc/tensor_python.h"

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Generator.h>

namespace lanewise::torch_backend {

bool is_tensor(PyObject* object) noexcept { return THPVariable_Check(object); }

at::Tensor unpack_tensor(PyObject* object) {
  TORCH_CHECK_TYPE(THPVariable_Check(object), "expected a torch.Tensor, got ", Py_TYPE(object)->tp_name);
  return THPVariable_Unpack(object);
}

PyObject* wrap_tensor(at::Tensor tensor) { return THPVariable_Wrap(std::move(tensor)); }

PyObject* wrap_generator(const at::Generator& generator) { return THPGenerator_Wrap(generator); }

std::optional<std::string> python_not_implemented(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const pybind11::error_already_set& error) {
    pybind11::gil_scoped_acquire gil;
    if (error.matches(PyExc_NotImplementedError)) return pybind11::str(error.value());
  } catch (python_error& error) {
    pybind11::gil_scoped_acquire gil;
    const bool pending = error.type == nullptr;   // still in the interpreter's thread state
    if (pending) error.persist();
    if (error.type != nullptr && PyErr_GivenExceptionMatches(error.type, PyExc_NotImplementedError)) return error.message;
    if (pending) error.restore();
  } catch (...) {
    return std::nullopt;
  }
  return std::nullopt;
}

void translate_exception(const std::exception_ptr& exception) {
  // Sets the Python error as every function of torch itself does: NotImplementedError, OutOfMemoryError ...
  torch::translate_exception_to_python(exception);
}

}  // namespace lanewise::torch_backend
