// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/pass/pipeline.h"

#include "compiler/pass/pass.h"

namespace lanewise::compiler::pass {
namespace {

// Each pass walks the ops once, operands before users, so a chain of its own kind is done in one go. The order lets
// every pass see what it needs from the one before.
constexpr Pass kPasses[] = {
    {"fold_constants", fold_constants},      // first, so that nothing below looks at arithmetic on constants
    {"drop_round_trips", drop_round_trips},  // fused code keeps f32 between ops; removes the pairs that hide views
    {"merge_converts", merge_converts},
    {"hoist_views", hoist_views},            // views move to where memory is read ...
    {"merge_views", merge_views},            // ... become one view ...
    {"read_views", read_views},              // ... and part of the read
    {"drop_broadcasts", drop_broadcasts},    // after views: a reshape may stand between a broadcast and its user
    {"merge_equal_ops", merge_equal_ops},
    {"drop_dead_ops", drop_dead_ops},        // last: every pass leaves behind what it replaced
};

}  // namespace

std::span<const Pass> pipeline() { return kPasses; }

Status run_pipeline(ir::Module& module, const std::function<void(std::string_view, const std::string&)>& dump) {
  for (const Pass& pass : kPasses) {
    const Status status = pass.run(module);
    if (!status.ok()) return status.with_context(pass.name);
    if (!dump) continue;
    const Status verified = ir::verify(module);
    if (!verified.ok()) return verified.with_context(pass.name);
    dump(pass.name, ir::print_text(module));
  }
  return ir::verify(module);
}

}  // namespace lanewise::compiler::pass
