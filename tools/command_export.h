// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise export FILE --csv DIR | --perfetto OUT: a trace in the form of other tools. (--parquet starts Python: lanewise.cc.)
#pragma once

#include <string>

namespace lanewise::tools {

struct ExportArguments {
  std::string path, producers;
  std::string csv, perfetto, parquet;  // one of them
};

int run_export(const ExportArguments& arguments);

}  // namespace lanewise::tools
