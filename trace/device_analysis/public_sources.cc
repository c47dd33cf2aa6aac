// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The Python stacks of a compiled graph as the public tables have them: frames that know their caller, and dictionaries of places,
// files and functions. All ids count from 1; "0" as a parent is the root.
#include <map>

#include "trace/device_analysis/public_schema.h"
#include "trace/device_analysis/public_tables.h"

namespace lanewise::trace::device_analysis {
namespace {

// A frame of a stack: a place, and who called it.
struct Call {
  uint32_t frame;    // index in Program::frames
  int64_t parent;    // id of the caller, 0 = none
};

struct Stacks {
  std::vector<Call> calls;               // id = position + 1
  std::vector<int64_t> innermost;        // by source; 0 = no stack
};

Stacks stacks_of(const device::Program& program) {
  Stacks out;
  std::map<std::pair<int64_t, uint32_t>, int64_t> known;
  for (const device::Source& source : program.sources) {
    int64_t caller = 0;
    for (auto frame = source.stack.rbegin(); frame != source.stack.rend(); ++frame) {
      const auto [at, fresh] = known.try_emplace({caller, *frame}, static_cast<int64_t>(out.calls.size()) + 1);
      if (fresh) out.calls.push_back({*frame, caller});
      caller = at->second;
    }
    out.innermost.push_back(caller);
  }
  return out;
}

// Texts by first use, from 1.
class Dictionary {
 public:
  int64_t id(const std::string& text) {
    const auto [at, fresh] = ids_.try_emplace(text, static_cast<int64_t>(texts_.size()) + 1);
    if (fresh) texts_.push_back(&at->first);
    return at->second;
  }
  PublicTable table(std::string_view name) const {
    PublicTable t(name);
    for (size_t i = 0; i < texts_.size(); ++i) t.row().set("id", std::to_string(i + 1)).set("name", *texts_[i]);
    return t;
  }

 private:
  std::map<std::string, int64_t> ids_;
  std::vector<const std::string*> texts_;
};

}  // namespace

std::vector<std::string> stack_frame_ids(const device::Program& program) {
  std::vector<std::string> ids;
  for (const int64_t id : stacks_of(program).innermost) ids.push_back(id == 0 ? "" : std::to_string(id));
  return ids;
}

void add_public_sources(const PublicBuilder& b) {
  const device::DeviceProfile& p = b.subject.profile;
  const Stacks stacks = stacks_of(p.program);
  const std::string why = p.source_note.empty() ? "the launch names no Python lines" : p.source_note;
  PublicTable frames("StackFrame"), places("StackFrameFileLocation");
  for (size_t i = 0; i < stacks.calls.size(); ++i)
    frames.row().set("id", std::to_string(i + 1)).set("file_location_id", int64_t{stacks.calls[i].frame} + 1).set("parent_frame_id", std::to_string(stacks.calls[i].parent));
  Dictionary files, functions;
  for (size_t i = 0; i < p.program.frames.size(); ++i) {
    const device::SourceFrame& f = p.program.frames[i];
    places.row().set("id", std::to_string(i + 1)).set("file_name_id", files.id(f.file)).set("function_name_id", functions.id(f.function)).set("line_number", f.line);
  }
  b.add(std::move(frames), why);
  b.add(std::move(places), why);
  b.add(files.table("StackFrameFileName"), why);
  b.add(functions.table("StackFrameFunctionName"), why);
}

}  // namespace lanewise::trace::device_analysis
