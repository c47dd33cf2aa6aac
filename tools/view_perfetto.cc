// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/view_perfetto.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tools/command_export.h"
#include "tools/trace_input.h"

namespace lanewise::tools {

namespace fs = std::filesystem;

std::vector<std::string> block_names(const std::vector<trace::session::DeviceFiles>& devices) {
  std::vector<std::string> names;
  for (const auto& files : devices) {
    const std::string name = "n_" + (files.hash.empty() ? fs::path(files.neff).stem().string() : files.hash) + (files.instance > 0 ? "_" + std::to_string(files.instance) : "") +
                             (files.nc > 0 ? "_vnc_" + std::to_string(files.nc) : "");
    std::string free = name;
    for (int number = 2; std::find(names.begin(), names.end(), free) != names.end(); ++number) free = name + "_" + std::to_string(number);
    names.push_back(free);
  }
  return names;
}

void say_left_out(const std::string& path, const std::string& reason) {
  const std::string in_front = path + ": ";
  std::fprintf(stderr, "lanewise: %s was not read and is left out: %s\n", path.c_str(), reason.starts_with(in_front) ? reason.c_str() + in_front.size() : reason.c_str());
}

Result<bool> view_perfetto(const ViewPerfetto& asked) {
  if (asked.folder.empty() && asked.devices.empty()) return not_found("nothing to write: no device profile, and the system trace is not asked for");
  bool complete = true;
  if (!asked.folder.empty()) {
    const auto input = open_trace({asked.folder});
    if (input.ok()) {
      LW_RETURN_IF_ERROR(export_perfetto(*input->session, asked.out));
      report_damage(*input->session);
    } else {
      if (asked.devices.empty()) return input.status();
      std::fprintf(stderr, "lanewise: device profiles only: %s\n", input.status().message().c_str());
      complete = input.status().code() == StatusCode::not_found;
    }
  }
  const std::vector<std::string> names = block_names(asked.devices);
  const fs::path out = asked.out;
  for (size_t i = 0; i < asked.devices.size(); ++i) {
    const auto& files = asked.devices[i];
    auto profile = trace::session::read_device_pair(files.neff, files.ntff);
    const bool alone = asked.folder.empty() && asked.devices.size() == 1;
    if (!profile.ok()) {
      if (alone) return profile.status();
      say_left_out(files.ntff, profile.status().message());
      complete = false;
      continue;
    }
    const fs::path path = alone ? out : out.parent_path() / (out.stem().string() + "_" + names[i] + out.extension().string());
    LW_RETURN_IF_ERROR(export_device_perfetto({files, std::move(*profile), {}}, asked.semaphores, path.string()));
  }
  return complete;
}

}  // namespace lanewise::tools
