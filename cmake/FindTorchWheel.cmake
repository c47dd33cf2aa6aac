# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
#
# Finds an installed PyTorch wheel without importing it (an import would load backends, ours among them) and without
# find_package(Torch), which wants CUDA for a CUDA wheel. Needs Python_EXECUTABLE.
#
# Sets TORCH_DIR and TORCH_VERSION; makes torch::c10, torch::cpu and torch::python.
execute_process(
  COMMAND ${Python_EXECUTABLE} -c
    "import importlib.util, pathlib; s = importlib.util.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
  OUTPUT_VARIABLE TORCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT TORCH_DIR)
  message(FATAL_ERROR "PyTorch is not installed for ${Python_EXECUTABLE}; install it or configure with -DLANEWISE_TORCH=OFF")
endif()
file(STRINGS ${TORCH_DIR}/version.py version_line REGEX "^__version__")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" TORCH_VERSION "${version_line}")

foreach(library c10 cpu python)
  add_library(torch::${library} SHARED IMPORTED)
  set(file torch_${library})
  if(library STREQUAL c10)
    set(file c10)
  endif()
  set_target_properties(torch::${library} PROPERTIES
    IMPORTED_LOCATION ${TORCH_DIR}/lib/lib${file}.so
    INTERFACE_INCLUDE_DIRECTORIES "${TORCH_DIR}/include;${TORCH_DIR}/include/torch/csrc/api/include;${TORCH_DIR}/include/kineto")
endforeach()
