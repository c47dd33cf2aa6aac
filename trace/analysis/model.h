// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Model: what every analysis starts from. Built once from a session, then read only: nesting and links of each file, the
// devices, the profiler steps. All files and threads are worked on in parallel; the result does not depend on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/links.h"
#include "trace/analysis/nesting.h"
#include "trace/session/session.h"

namespace lanewise::trace::analysis {

// One device of one file.
struct Device {
  uint32_t part = 0;
  std::string name;  // "cuda:0", "neuron:1", "mtia:9": the producers table's word and args.device, else the pid
  std::string kind;  // "cuda"
  std::string type;  // what PyTorch's tables call it: "CUDA", "PrivateUse1", ...
  uint64_t events = 0;
  int64_t first_ns = 0, last_ns = 0;  // session time: first start, last end
};

// A range ProfilerStep#N of a host thread.
struct Step {
  uint32_t part = 0;
  schema::Row row = kNoRow;
  int64_t number = 0;
  int64_t start_ns = 0, end_ns = 0;  // session time
};

struct FileModel {
  uint32_t part = 0;
  Nesting nesting;
  Links links;
  std::string device_kind;  // of its devices: "cuda"; "" when it has none
  bool repeats = false;  // as SessionFile::repeats_part: its device work is another file's and is not to be summed
};

class Model {
 public:
  static std::shared_ptr<const Model> build(std::shared_ptr<const session::Session> session, int threads = 0);

  const session::Session& session() const { return *session_; }
  std::shared_ptr<const session::Session> shared_session() const { return session_; }
  const std::vector<FileModel>& files() const { return files_; }
  const FileModel& file(uint32_t part) const { return files_[part]; }
  const schema::EventTable& events(uint32_t part) const { return session_->events(part); }
  int64_t offset_ns(uint32_t part) const { return session_->files()[part].offset_ns; }
  std::optional<int64_t> rank(uint32_t part) const { return session_->files()[part].file.rank; }

  // By part, then by number in the name, then by name.
  const std::vector<Device>& devices() const { return devices_; }
  // The device that a row names by args.device, else by its pid, when there is one.
  std::optional<uint32_t> device_of_row(uint32_t part, schema::Row row) const;
  // What that device is called, also when it has no device events in this file.
  std::string device_name(uint32_t part, schema::Row row) const;
  // By part, then by start.
  const std::vector<Step>& steps() const { return steps_; }
  // The number of the step of a file that holds the moment.
  std::optional<int64_t> step_at(uint32_t part, int64_t session_ns) const;
  // The step itself, for numbers can repeat: several profiles in one process count from the start each. Null: none.
  const Step* step_around(uint32_t part, int64_t session_ns) const;

  // First start and last end of complete events, without the spans of the profiler itself, device annotations, and files that
  // repeat another one. Both 0 when there is no such event.
  int64_t begin_ns() const { return begin_ns_; }
  int64_t end_ns() const { return end_ns_; }

  std::string_view name(uint32_t part, schema::Row row) const { return session_->text(events(part).name[row]); }
  int64_t start_ns(uint32_t part, schema::Row row) const { return events(part).ts_ns[row] + offset_ns(part); }

 private:
  void find_devices(uint32_t part);
  void find_steps(uint32_t part);
  void find_window();

  std::shared_ptr<const session::Session> session_;
  std::vector<FileModel> files_;
  std::vector<Device> devices_;
  struct DeviceKey {
    uint32_t part;
    int64_t id;               // args.device, or kNoId
    store::StringId pid;      // of the track when there is no id
    uint32_t device;
  };
  std::vector<DeviceKey> device_keys_;
  std::vector<Step> steps_;
  int64_t begin_ns_ = 0, end_ns_ = 0;
};

}  // namespace lanewise::trace::analysis
