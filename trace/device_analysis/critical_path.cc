// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/critical_path.h"

#include <algorithm>

#include "trace/device_analysis/intervals.h"

namespace lanewise::trace::device_analysis {

using device::kNone;

std::string_view piece_name(PieceKind kind) {
  switch (kind) {
    case PieceKind::start: return "start";
    case PieceKind::work: return "work";
    case PieceKind::pipeline: return "pipeline";
    case PieceKind::semaphore: return "semaphore";
    case PieceKind::dma_start: return "dma_start";
    case PieceKind::transfer: return "transfer";
    case PieceKind::completion: return "completion";
    case PieceKind::hold: return "hold";
    case PieceKind::tail: return "tail";
  }
  return "";
}

namespace {

class Walk {
 public:
  explicit Walk(const Dependencies& d) : d_(d), at_(whole(d.profile())) {}

  std::vector<Piece> run() {
    uint32_t node = kNone;
    for (uint32_t n = 0; n < d_.nodes(); ++n) {
      if (node == kNone || d_.done(n) > d_.done(node)) node = n;
    }
    if (node != kNone) {
      back_to(d_.done(node), PieceKind::tail, node);
      while (node != kNone) node = d_.is_dma(node) ? through_dma(node) : through_instruction(node);
    }
    back_to(Picos(0), PieceKind::start, kNone);
    std::reverse(pieces_.begin(), pieces_.end());
    return std::move(pieces_);
  }

 private:
  void back_to(Picos begin, PieceKind kind, uint32_t node, uint32_t from = kNone) {
    begin = std::max(begin, Picos(0));   // of a cut-out program: a semaphore may have been set before it
    if (begin >= at_) return;
    pieces_.push_back({begin, at_, kind, node, from});
    at_ = begin;
  }

  uint32_t through_instruction(uint32_t node) {
    back_to(d_.begin(node), PieceKind::work, node);
    return to_cause(node);
  }

  uint32_t through_dma(uint32_t node) {
    if (at_ == d_.done(node) && d_.visible_after(node) != kNone) return d_.visible_after(node);
    back_to(d_.read(d_.dma(node)), PieceKind::completion, node);
    back_to(d_.begin(node), PieceKind::transfer, node);
    return to_cause(node);
  }

  uint32_t to_cause(uint32_t node) {
    const Constraint* c = d_.binding(node);
    if (c == nullptr) return kNone;
    back_to(c->allowed, PieceKind::hold, node);
    switch (c->why) {
      case Why::order: break;   // the one before worked until then
      case Why::queue: break;   // the one before moved until then
      case Why::trigger: back_to(d_.begin(c->from), PieceKind::dma_start, node); break;
      case Why::result: back_to(d_.end(c->from), PieceKind::pipeline, node, c->from); break;
      case Why::semaphore: back_to(d_.done(c->from), PieceKind::semaphore, node, c->from); break;
    }
    return c->from;
  }

  const Dependencies& d_;
  Picos at_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> critical_path(const Dependencies& dependencies) { return Walk(dependencies).run(); }

}  // namespace lanewise::trace::device_analysis
