// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The lines and modules of a device profile: what the launch says about where the nodes of its graph come from.
//
//   instruction -> node of the graph    SourceSite of the launch, by engine and position
//   node        -> line, module         SourceTable of the graph
//
// Both lie in launch_sources.pb of the capture. A launch of another call site of the same program has another site, so the profile of
// one program shows each its own lines.
#pragma once

#include <string>

#include "trace/device/profile.h"
#include "trace/session/device_files.h"

namespace lanewise::trace::session {

// The launch that an .ntff shows, by the trace_info.pb beside it. Site 0: there is none, or it does not say.
LaunchSite first_launch(const std::string& ntff_path);

// Fills Program::frames, Program::sources and Instruction::source, or says in `source_note` why it cannot: a pair of another maker, a
// pair alone, a launch that was not of a compiled graph, damaged files. Never an error: a profile without lines is still one.
void add_sources(const LaunchSite& launch, device::DeviceProfile* profile);

}  // namespace lanewise::trace::session
