// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/device_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <vector>

#include "trace/import/lanewise_pair/pair.h"
#include "trace/pair/file_kind.h"
#include "trace/pair/open_pair.h"
#include "trace/record/neff.h"
#include "trace/record/ntff.h"
#include "trace/session/launch_sources.h"

namespace lanewise::trace::session {
namespace {

namespace fs = std::filesystem;
constexpr int kMaxDepth = 4;

using pair::FileKind;
using pair::read_file;

// The number that an AWS or Lanewise file name holds: neff_<hash>_vnc_0.neff, <hash>_instid_0_vnc_0.ntff; else its stem.
std::string key_of_name(const fs::path& path) {
  std::string stem = path.stem().string();
  if (stem.starts_with("neff_")) stem = stem.substr(5);
  const size_t digits = stem.find_first_not_of("0123456789");
  return digits != std::string::npos && digits > 0 && stem[digits] == '_' ? stem.substr(0, digits) : stem;
}

uint32_t number_after(const std::string& name, const std::string& word) {
  const size_t at = name.find(word);
  uint32_t value = 0;
  for (size_t i = at == std::string::npos ? name.size() : at + word.size(); i < name.size() && name[i] >= '0' && name[i] <= '9'; ++i)
    value = value * 10 + static_cast<uint32_t>(name[i] - '0');
  return value;
}

struct Side {
  std::string path, key;
  std::string id;       // pair id as bytes; of others as far as both halves hold it
  std::string program;
  bool ours = false;
};

Side describe_neff(const std::string& path) {
  Side side{path, key_of_name(path), {}, {}, false};
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return side;   // reading a pipe would wait; who opens it is told
  std::string head(record::kNeffHeaderBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  record::Neff neff;
  if (file.gcount() == static_cast<std::streamsize>(head.size()) && record::read_neff_header(head, &neff.header).ok()) {
    side.program = neff.header.name;
    side.ours = neff.ours();
    if (side.ours) {
      side.id.assign(neff.header.uuid.begin(), neff.header.uuid.end());
      side.key = std::to_string(neff.program_hash());
    } else {
      side.id = pair::real_pair_id(path, FileKind::neff);
    }
  }
  return side;
}

Side describe_ntff(const std::string& path) {
  Side side{path, key_of_name(path), {}, {}, false};
  side.id = pair::real_pair_id(path, FileKind::ntff);
  if (!side.id.empty()) return side;
  const auto bytes = read_file(path);
  if (!bytes.ok() || !lanewise_pair::looks_like_ntff(*bytes)) return side;
  record::Ntff ntff;
  // A damaged one is still described as far as it goes; who opens it is told.
  if (const Status damage = record::read_ntff(*bytes, &ntff); !damage.ok() && ntff.program_hash == 0) return side;
  side.ours = true;
  side.program = ntff.program;
  side.key = std::to_string(ntff.program_hash);
  if (ntff.uuid != record::PairId{}) side.id.assign(ntff.uuid.begin(), ntff.uuid.end());
  return side;
}

// How surely two halves belong together; 0: they do not. By the id inside, whatever the files are called; of others also by their names
// alone, so that who opens two that lie together and differ inside is told how.
int belong(const Side& neff, const Side& ntff) {
  if (neff.ours != ntff.ours) return 0;
  const bool named = neff.key == ntff.key;
  if (neff.ours) return !neff.id.empty() && !ntff.id.empty() ? (neff.id == ntff.id ? 3 : 0) : (named ? 1 : 0);
  return (pair::same_pair(neff.id, ntff.id) ? 2 : 0) + (named ? 1 : 0);
}

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

bool is_what_it_is_called(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;   // reading a pipe would wait
  std::string head(pair::kKindBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return pair::kind_of_bytes(std::string_view(head).substr(0, static_cast<size_t>(file.gcount()))) != FileKind::other;
}

// What is missing where only one half is there.
Status other_half_missing(const std::string& path, FileKind kind) {
  const std::string what = kind == FileKind::neff ? " is a compiled program (.neff) with no capture of it beside it: the .ntff of a run is missing"
                                                  : " is the capture of a run (.ntff) with no program of it beside it: the .neff is missing";
  return not_found(name_of(path) + what + ". Give both, X.neff Y.ntff; on the page drop both together");
}

DeviceFiles pair_of(const Side& neff, const Side& ntff) {
  const std::string name = fs::path(ntff.path).stem().string();
  return {neff.path, ntff.path, neff.program, neff.key, number_after(name, "_instid_"), static_cast<uint16_t>(number_after(name, "_vnc_")), neff.ours};
}

std::vector<std::string> beside(const fs::path& path, FileKind kind) {
  std::vector<std::string> found;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    if (pair::kind_of_file(at->path().string()) == kind) found.push_back(at->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string list_of(const std::vector<DeviceFiles>& pairs) {
  constexpr size_t kListed = 20;
  std::string text;
  for (size_t i = 0; i < std::min(pairs.size(), kListed); ++i) text += "\n  " + pairs[i].hash + "  " + pairs[i].program;
  if (pairs.size() > kListed) text += "\n  and " + std::to_string(pairs.size() - kListed) + " more";
  return text;
}

Result<DeviceFiles> choose(const std::vector<DeviceFiles>& pairs, const std::string& program, const std::string& folder) {
  if (program.empty()) {
    if (pairs.size() == 1) return pairs[0];
    return invalid_argument(folder + " holds device profiles of " + std::to_string(pairs.size()) + " programs; choose one with --program HASH or NAME, or with --nth or --event:" + list_of(pairs));
  }
  std::vector<DeviceFiles> matching;
  for (const DeviceFiles& pair : pairs) {
    if (pair.hash == program || pair.program == program) matching.push_back(pair);
  }
  if (matching.empty()) {
    for (const DeviceFiles& pair : pairs) {
      if (pair.program.find(program) != std::string::npos) matching.push_back(pair);
    }
  }
  if (matching.empty()) return not_found("no program '" + program + "' in " + folder + "; there are:" + list_of(pairs));
  const bool one = std::all_of(matching.begin(), matching.end(), [&](const DeviceFiles& pair) { return pair.hash == matching[0].hash; });
  if (!one) return invalid_argument("'" + program + "' names several programs; choose one by its hash:" + list_of(matching));
  return matching[0];
}

Result<DeviceExecution> find_execution(const DeviceRequest& request, const Session& session) {
  const std::vector<DeviceExecution> all = device_executions(session);
  if (request.event.empty()) {
    if (request.nth < 1 || request.nth > static_cast<int64_t>(all.size()))
      return invalid_argument("there is no execution " + std::to_string(request.nth) + " in " + request.path + "; it shows " + std::to_string(all.size()));
    return all[static_cast<size_t>(request.nth - 1)];
  }
  const auto id = schema::EventId::parse(request.event);
  if (!id) return invalid_argument("'" + request.event + "' is no event id");
  for (const DeviceExecution& e : all) {
    if (e.event == *id) return e;
  }
  return invalid_argument("event " + request.event + " is no execution of a program on a core (nc_exec_running)");
}

}  // namespace

// The partner of one file in its folder. The first one by instance and core, as the names sort.
Result<DeviceFiles> find_partner(const std::string& path) {
  const FileKind kind = pair::kind_of_file(path);
  const bool given_neff = kind == FileKind::neff;
  std::error_code error;
  if (kind == FileKind::other) return invalid_argument(path + " is no .neff and no .ntff");
  const Side given = given_neff ? describe_neff(path) : describe_ntff(path);
  std::vector<DeviceFiles> pairs;
  int surest = 1;
  for (const std::string& other : beside(path, given_neff ? FileKind::ntff : FileKind::neff)) {
    const Side side = given_neff ? describe_ntff(other) : describe_neff(other);
    const int sure = given_neff ? belong(given, side) : belong(side, given);
    if (sure < surest) continue;
    if (sure > surest) pairs.clear();
    surest = sure;
    pairs.push_back(given_neff ? pair_of(given, side) : pair_of(side, given));
  }
  if (pairs.empty() && !is_what_it_is_called(path)) {
    if (fs::exists(path, error) && !fs::is_regular_file(path, error)) return invalid_argument(path + " is no regular file; a program or a capture is read from a file on disk");
    const auto size = fs::file_size(path, error);
    return data_loss(path + " has the name of " + (given_neff ? "a program (.neff)" : "a capture (.ntff)") + " and not its bytes" +
                     (!error && size == 0 ? ": it is empty (0 bytes)" : "") + "; capture again");
  }
  if (pairs.empty()) return other_half_missing(path, kind);
  return *std::min_element(pairs.begin(), pairs.end(), [](const DeviceFiles& a, const DeviceFiles& b) {
    return std::tuple(a.nc, a.instance, a.ntff) < std::tuple(b.nc, b.instance, b.ntff);
  });
}

Result<DeviceFiles> pair_up(const std::string& a, const std::string& b) {
  const FileKind first = pair::kind_of_file(a), second = pair::kind_of_file(b);
  const bool swapped = first == FileKind::ntff;
  const std::string &neff = swapped ? b : a, &ntff = swapped ? a : b;
  if (first == FileKind::other || second == FileKind::other || first == second) return invalid_argument("a device profile is a .neff and its .ntff; these are " + a + " and " + b);
  return pair_of(describe_neff(neff), describe_ntff(ntff));
}

std::vector<DeviceExecution> device_executions(const Session& session) {
  using schema::ArgKey;
  std::vector<DeviceExecution> out;
  for (const SessionFile& file : session.files()) {
    if (file.repeats_part) continue;
    const schema::EventTable& events = session.events(file.part);
    const auto text = [&](ArgKey key, schema::Row row) {
      const int64_t value = events.arg(key).find(row);
      return value == store::null_value<int64_t>() ? std::string() : std::string(session.text(static_cast<schema::StringId>(value)));
    };
    const auto number = [&](ArgKey key, schema::Row row) {
      const int64_t value = events.arg(key).find(row);
      return value == store::null_value<int64_t>() ? 0 : value;
    };
    for (schema::Row row = 0; row < events.rows(); ++row) {
      if (events.role_of(row) != schema::Role::kernel || !events.is_slice(row)) continue;
      DeviceExecution e;
      e.hash = text(ArgKey::program, row);
      if (e.hash.empty()) continue;
      e.event = {file.part, row};
      e.name = events.name[row] == store::kNoString ? "" : std::string(session.text(events.name[row]));
      e.begin_ns = events.ts_ns[row] + file.offset_ns;
      e.end_ns = e.begin_ns + events.dur_ns[row];
      e.overhead_before_ns = number(ArgKey::overhead_before_ns, row);
      e.overhead_after_ns = number(ArgKey::overhead_after_ns, row);
      e.launch = {fs::path(file.file.path).parent_path().string(), static_cast<uint32_t>(number(ArgKey::site, row))};
      out.push_back(std::move(e));
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const DeviceExecution& a, const DeviceExecution& b) { return a.begin_ns < b.begin_ns; });
  return out;
}

// Calls `use` with path and kind of each half under a folder.
template <typename Use>
Status each_half(const std::string& folder, const Use& use) {
  std::error_code error;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() >= kMaxDepth) at.disable_recursion_pending();
    const std::string path = at->path().string();
    if (const FileKind kind = pair::kind_of_file(path); kind != FileKind::other) use(path, kind);
  }
  return error ? not_found("cannot read " + folder + ": " + error.message()) : ok_status();
}

std::vector<UnreadFile> captures_alone(const std::string& folder, const std::vector<DeviceFiles>& pairs) {
  std::vector<std::string> alone;
  const auto take = [&](const std::string& path, FileKind kind) {
    const bool paired = std::any_of(pairs.begin(), pairs.end(), [&](const DeviceFiles& pair) { return pair.ntff == path; });
    if (kind == FileKind::ntff && !paired) alone.push_back(path);
  };
  // Who asks has walked the folder before: that it cannot be read is known.
  if (!each_half(folder, take).ok()) return {};
  std::sort(alone.begin(), alone.end());
  std::vector<UnreadFile> out;
  for (const std::string& path : alone) out.push_back({path, find_partner(path).status().message()});
  return out;
}

Result<std::vector<DeviceFiles>> device_pairs(const std::string& folder) {
  std::vector<Side> neffs, ntffs;
  LW_RETURN_IF_ERROR(each_half(folder, [&](const std::string& path, FileKind kind) {
    kind == FileKind::neff ? neffs.push_back(describe_neff(path)) : ntffs.push_back(describe_ntff(path));
  }));
  const auto by_path = [](const Side& a, const Side& b) { return a.path < b.path; };
  std::sort(neffs.begin(), neffs.end(), by_path);
  std::sort(ntffs.begin(), ntffs.end(), by_path);
  std::vector<DeviceFiles> pairs;
  for (const Side& ntff : ntffs) {
    const Side* partner = nullptr;
    // The same program may lie in several folders of a run; the one beside it goes first.
    std::tuple<bool, bool, int> best;
    for (const Side& neff : neffs) {
      const int sure = belong(neff, ntff);
      if (sure == 0) continue;
      const bool near = fs::path(neff.path).parent_path() == fs::path(ntff.path).parent_path();
      const std::tuple<bool, bool, int> rank{sure > 1, near, sure};
      if (partner == nullptr || rank > best) partner = &neff, best = rank;
    }
    if (partner != nullptr) pairs.push_back(pair_of(*partner, ntff));
  }
  if (pairs.empty()) {
    const std::string there = std::to_string(neffs.size()) + " .neff and " + std::to_string(ntffs.size()) + " .ntff", how = "; capture with DEVICE on (NeuronConfig, docs/profiling.md)";
    if (ntffs.empty() && neffs.size() == 1) return not_found(there + ": " + other_half_missing(neffs[0].path, FileKind::neff).message() + how);
    if (neffs.empty() && ntffs.size() == 1) return not_found(there + ": " + other_half_missing(ntffs[0].path, FileKind::ntff).message());
    return not_found("no device profile in " + folder + ": " + there + ", none of which belong together" + how);
  }
  return pairs;
}

Result<device::DeviceProfile> read_device_pair(const std::string& neff_path, const std::string& ntff_path) {
  LW_ASSIGN_OR_RETURN(const std::string neff, read_file(neff_path));
  LW_ASSIGN_OR_RETURN(const std::string ntff, read_file(ntff_path));
  record::NeffHeader header;
  const bool is_neff = record::read_neff_header(neff, &header).ok();
  const bool foreign_neff = is_neff && !header.build_version.starts_with("lanewise ");
  if (foreign_neff && lanewise_pair::looks_like_ntff(ntff))
    return failed_precondition(ntff_path + " shows a run on the simulator, " + neff_path + " is a program of another compiler; they are no pair");
  // Files of neither kind are the business of the reader that knows what a NEFF must have.
  const bool neither = !neff.empty() && !is_neff && !lanewise_pair::looks_like_ntff(neff) && !lanewise_pair::looks_like_ntff(ntff);
  auto profile = foreign_neff || neither ? pair::profile_of_bytes(neff, ntff) : lanewise_pair::read_pair(neff, ntff);
  if (!profile.ok()) return profile.status().with_context(ntff_path);
  return profile;
}

Result<OpenedDevice> open_device(const DeviceRequest& request) {
  OpenedDevice opened;
  std::error_code error;
  if (!fs::exists(request.path, error)) return not_found("no such file: " + request.path);
  const bool folder = fs::is_directory(request.path, error);
  if (!folder && (!request.event.empty() || request.nth != 0 || !request.program.empty()))
    return invalid_argument("--program, --event and --nth choose from a capture folder; " + request.path + " is a file");
  if (folder && !request.ntff.empty()) return invalid_argument("a capture folder takes no second file");
  if (folder) {
    LW_ASSIGN_OR_RETURN(const std::vector<DeviceFiles> pairs, device_pairs(request.path));
    std::string program = request.program;
    if (!request.event.empty() || request.nth != 0) {
      LW_ASSIGN_OR_RETURN(opened.session, Session::open(request.path));
      LW_ASSIGN_OR_RETURN(opened.execution, find_execution(request, *opened.session));
      program = opened.execution->hash;
    }
    LW_ASSIGN_OR_RETURN(opened.files, choose(pairs, program, request.path));
  } else if (!request.ntff.empty()) {
    opened.files = pair_of(describe_neff(request.path), describe_ntff(request.ntff));
  } else if (pair::kind_of_file(request.path) != FileKind::other) {
    LW_ASSIGN_OR_RETURN(opened.files, find_partner(request.path));
  } else {
    return invalid_argument(request.path + " is no .neff, no .ntff and no folder");
  }
  LW_ASSIGN_OR_RETURN(opened.profile, read_device_pair(opened.files.neff, opened.files.ntff));
  add_sources(opened.execution ? opened.execution->launch : first_launch(opened.files.ntff), &opened.profile);
  return opened;
}

}  // namespace lanewise::trace::session
