// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/perfetto/track_tree.h"

#include "trace/import/perfetto/fields.h"
#include "trace/import/perfetto/wire.h"

namespace lanewise::trace::perfetto {
namespace d = fields::descriptor;

bool TrackTree::add(std::string_view message) {
  uint64_t uuid = 0;
  Entry entry;
  WireReader reader(message);
  while (reader.next()) {
    switch (reader.field()) {
      case d::uuid: uuid = reader.value(); break;
      case d::parent_uuid: entry.parent = reader.value(); break;
      case d::name:
      case d::static_name: entry.name = std::string(reader.data()); break;
      case d::process: {
        entry.is_process = true;
        WireReader process(reader.data());
        while (process.next()) {
          if (process.field() == d::process_pid) entry.pid = process.integer();
          if (process.field() == d::process_name) entry.process_name = std::string(process.data());
        }
        if (!process.ok()) return false;
        break;
      }
      case d::thread: {
        entry.is_thread = true;
        WireReader thread(reader.data());
        while (thread.next()) {
          if (thread.field() == d::thread_pid) entry.pid = thread.integer();
          if (thread.field() == d::thread_tid) entry.tid = thread.integer();
          if (thread.field() == d::thread_name) entry.thread_name = std::string(thread.data());
        }
        if (!thread.ok()) return false;
        break;
      }
      default: break;
    }
  }
  if (!reader.ok()) return false;
  entries_[uuid] = std::move(entry);
  return true;
}

TrackTree::Names TrackTree::names(uint64_t uuid) const {
  Names names;
  const auto own = entries_.find(uuid);
  if (own == entries_.end()) {
    if (uuid != 0) names.tid = std::to_string(uuid), names.has_tid = true;
    return names;
  }
  const Entry& entry = own->second;
  names.has_tid = true;
  if (entry.is_thread) {
    names.tid = std::to_string(entry.tid);
    names.pid = std::to_string(entry.pid);
    names.has_pid = true;
    return names;
  }
  names.tid = entry.is_process ? entry.process_name : entry.name;
  // Upwards to a process, else to the top; a cycle ends after as many steps as there are tracks.
  auto at = own;
  for (size_t steps = 0; steps <= entries_.size(); ++steps) {
    if (at->second.is_process) {
      names.pid = std::to_string(at->second.pid);
      names.has_pid = true;
      return names;
    }
    const auto parent = entries_.find(at->second.parent);
    if (at->second.parent == 0 || parent == entries_.end()) break;
    at = parent;
  }
  if (at != own) names.pid = at->second.name, names.has_pid = true;
  return names;
}

}  // namespace lanewise::trace::perfetto
