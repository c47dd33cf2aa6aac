// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/document_parser.h"
#include "trace/import/kineto_json/parser.h"
#include "trace/import/kineto_json/scan_scalar.h"

namespace lanewise::trace::kineto_json {

std::unique_ptr<Parser> make_scalar_parser() { return std::make_unique<DocumentParser<ScalarScan>>(); }

std::unique_ptr<Parser> make_parser() {
  auto parser = make_avx2_parser();
  return parser ? std::move(parser) : make_scalar_parser();
}

}  // namespace lanewise::trace::kineto_json
