// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads do not survive fork(), so a device that was open in the parent is dead in the child: it must neither be used
// nor waited for. One flag says so, without a system call on the launch path.
#pragma once

namespace lanewise::runtime::sim_driver {

void watch_forks();       // before the first device; later calls do nothing
bool in_forked_child();   // forked after watch_forks()

}  // namespace lanewise::runtime::sim_driver
