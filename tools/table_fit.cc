// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/table_fit.h"

#include <algorithm>
#include <array>

namespace lanewise::tools {
namespace {

using trace::analysis::ColumnType;
using trace::analysis::Table;

constexpr auto kLeads = std::to_array<std::string_view>({"name", "text", "op", "a_ops"});
constexpr auto kMinor = std::to_array<std::string_view>({"clipped_ns", "union_ns", "part", "linked", "device_type", "min_ns"});  // first to go first

class Fitter {
 public:
  Fitter(const Table& table, size_t screen, std::vector<ShownColumn>* shown) : table_(table), room_(screen + 2), shown_(*shown) {}

  void run() {
    if (full_width() <= room_) return;
    choose_lead();
    // What says nothing goes before a name is cut, the rest only when cut names do not make room enough.
    const auto whole = [&] { return full_width() <= room_; };
    drop(whole, [&](size_t i) { return is_empty(shown_[i]); });
    drop(whole, [&](size_t i) { return repeats_earlier(i); });
    drop(whole, [&](size_t i) { return is_constant(shown_[i]); });
    const auto with_cut_names = [&] { return fits(); };
    for (const std::string_view minor : kMinor) drop(with_cut_names, [&](size_t i) { return name_of(shown_[i]) == minor; });
    drop(with_cut_names, [](size_t) { return true; });
    share_room();
  }

 private:
  const std::string& name_of(const ShownColumn& s) const { return table_.columns()[s.column].name; }

  size_t full_width() const {
    size_t sum = 0;
    for (const ShownColumn& s : shown_) sum += s.width + 2;
    return sum;
  }
  static size_t least_width(const ShownColumn& s) {
    if (s.lead) return std::min(s.width, s.wraps ? kSentenceWidth : kLeadWidth);
    return s.text && s.width > kWordWidth ? kTextWidth : s.width;
  }
  bool fits() const {
    size_t sum = 0;
    for (const ShownColumn& s : shown_) sum += least_width(s) + 2;
    return sum <= room_;
  }

  void choose_lead() {
    for (const std::string_view name : kLeads) {
      for (ShownColumn& s : shown_) {
        if (!s.text || name_of(s) != name) continue;
        s.lead = true;
        return;
      }
    }
    auto widest = shown_.end();
    for (auto s = shown_.begin(); s != shown_.end(); ++s) {
      if (s->text && (widest == shown_.end() || s->width > widest->width)) widest = s;
    }
    if (widest != shown_.end()) widest->lead = true;
  }

  bool is_empty(const ShownColumn& s) const {
    return std::all_of(s.cells.begin() + 1, s.cells.end(), [](const std::string& cell) { return cell.empty() || cell == "-"; });
  }
  bool is_constant(const ShownColumn& s) const {
    const ColumnType type = table_.columns()[s.column].type;
    if (table_.rows() < 2 || (type != ColumnType::text && type != ColumnType::integer)) return false;
    return std::all_of(s.cells.begin() + 2, s.cells.end(), [&](const std::string& cell) { return cell == s.cells[1]; });
  }
  bool repeats_earlier(size_t i) const {
    const auto& columns = table_.columns();
    for (size_t j = 0; j < i && !shown_[i].text; ++j) {
      if (columns[shown_[j].column].type == columns[shown_[i].column].type && std::equal(shown_[i].cells.begin() + 1, shown_[i].cells.end(), shown_[j].cells.begin() + 1)) return true;
    }
    return false;
  }

  // From the right, until there is room.
  template <typename Done, typename Wanted>
  void drop(const Done& done, const Wanted& wanted) {
    for (size_t i = shown_.size(); i-- > 1 && !done();) {
      if (!shown_[i].lead && wanted(i)) shown_.erase(shown_.begin() + static_cast<ptrdiff_t>(i));
    }
  }

  void share_room() {
    size_t used = 0;
    for (const ShownColumn& s : shown_) used += least_width(s) + 2;
    size_t left = room_ > used ? room_ - used : 0;
    for (const bool lead : {true, false}) {
      for (ShownColumn& s : shown_) {
        if (s.lead != lead) continue;
        const size_t least = least_width(s), more = std::min(left, s.width - least);
        s.width = least + more;
        left -= more;
      }
    }
    // A terminal narrower than a name.
    for (ShownColumn& s : shown_) {
      if (s.lead && used > room_) s.width -= std::min(s.width - std::min<size_t>(s.width, 5), used - room_);
    }
  }

  const Table& table_;
  const size_t room_;  // two blanks behind each column, those of the last one off the screen
  std::vector<ShownColumn>& shown_;
};

size_t bytes_of_character(std::string_view text, size_t at) {
  size_t n = 1;
  while (at + n < text.size() && (text[at + n] & 0xc0) == 0x80) ++n;
  return n;
}

}  // namespace

size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void fit_columns(const Table& table, size_t screen, std::vector<ShownColumn>* shown) {
  for (ShownColumn& s : *shown) {
    for (const std::string& cell : s.cells) s.width = std::max(s.width, width_of(cell));
    s.wraps = s.text && table.columns()[s.column].name == "text";
  }
  if (screen > 0) Fitter(table, screen, shown).run();
}

std::string cut_middle(const std::string& text, size_t width) {
  const size_t have = width_of(text);
  if (have <= width || width < 5) return text;
  const size_t room = width - 3;
  const size_t left = room > kNameBegin ? std::max(kNameBegin, room - room / 3) : (room + 1) / 2, right = room - left;
  std::string out;
  size_t at = 0;
  for (size_t i = 0; i < text.size(); ++at) {
    const size_t n = bytes_of_character(text, i);
    if (at < left || at >= have - right) out.append(text, i, n);
    else if (at == left) out += "...";
    i += n;
  }
  return out;
}

std::vector<std::string> wrap_words(const std::string& text, size_t width) {
  std::vector<std::string> lines;
  size_t begin = 0;
  while (width > 0 && width_of(std::string_view(text).substr(begin)) > width) {
    size_t end = begin, blank = std::string::npos;  // bytes; the last blank a line may end at
    for (size_t n = 0; n <= width; ++n) {
      if (text[end] == ' ' && end > begin) blank = end;
      if (n < width) end += bytes_of_character(text, end);
    }
    lines.push_back(text.substr(begin, (blank == std::string::npos ? end : blank) - begin));
    begin = blank == std::string::npos ? end : blank + 1;
  }
  lines.push_back(text.substr(begin));
  return lines;
}

}  // namespace lanewise::tools
