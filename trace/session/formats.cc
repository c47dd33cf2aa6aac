// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/formats.h"

#include "trace/import/kineto_json/import.h"
#include "trace/import/perfetto/import.h"
#include "trace/input/byte_source.h"

namespace lanewise::trace::session {
namespace {

using Import = Result<schema::TraceFile> (*)(input::ByteSource&, store::StringPool&, const schema::Producers&,
                                             const schema::ImportOptions&);

struct Format {
  bool (*looks_like)(std::string_view first_bytes);
  Import import;
};

// JSON comes last: its importer also reads what only holds some JSON.
constexpr Format kFormats[] = {
    {perfetto::looks_like_perfetto, perfetto::import_perfetto},
    {[](std::string_view) { return true; },
     [](input::ByteSource& source, store::StringPool& strings, const schema::Producers& producers,
        const schema::ImportOptions& options) { return kineto_json::import_json(source, strings, producers, options); }},
};

constexpr size_t kSniffBytes = 4096;

}  // namespace

Result<schema::TraceFile> import_file(const std::string& path, store::StringPool& strings,
                                      const schema::Producers& producers, const schema::ImportOptions& options) {
  std::string first(kSniffBytes, '\0');
  {
    LW_ASSIGN_OR_RETURN(auto source, input::open_source(path));
    if (source->stored_bytes_total() == 0) return data_loss(path + ": the file is empty");
    size_t done = 0;
    while (done < first.size()) {
      LW_ASSIGN_OR_RETURN(const size_t got, source->read(first.data() + done, first.size() - done));
      if (got == 0) break;
      done += got;
    }
    first.resize(done);
    if (done == 0) {
      const std::string_view reason = source->end().reason;
      return data_loss(path + ": " + (reason.empty() ? std::string("the file is empty") : std::string(schema::reason_text(reason))));
    }
  }
  for (const Format& format : kFormats) {
    if (!format.looks_like(first)) continue;
    LW_ASSIGN_OR_RETURN(auto source, input::open_source(path));
    auto file = format.import(*source, strings, producers, options);
    if (!file.ok()) return file.status().with_context(path);
    file->path = path;
    return file;
  }
  return data_loss(path + ": no known trace format");
}

}  // namespace lanewise::trace::session
