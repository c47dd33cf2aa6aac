// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/device_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>
#include <vector>

#include "trace/import/lanewise_pair/pair.h"
#include "trace/pair/open_pair.h"
#include "trace/record/neff.h"
#include "trace/record/ntff.h"
#include "trace/session/launch_sources.h"

namespace lanewise::trace::session {
namespace {

namespace fs = std::filesystem;
constexpr int kMaxDepth = 4;

using pair::read_file;

bool ends(const fs::path& path, std::string_view extension) { return path.extension() == extension; }

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
  std::string id;       // pair id as bytes, of ours
  std::string program;
  bool ours = false;
};

Side describe_neff(const std::string& path) {
  Side side{path, key_of_name(path), {}, {}, false};
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
    }
  }
  return side;
}

Side describe_ntff(const std::string& path) {
  Side side{path, key_of_name(path), {}, {}, false};
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

bool belong(const Side& neff, const Side& ntff) {
  if (neff.ours != ntff.ours) return false;
  return !neff.id.empty() && !ntff.id.empty() ? neff.id == ntff.id : neff.key == ntff.key;
}

DeviceFiles pair_of(const Side& neff, const Side& ntff) {
  const std::string name = fs::path(ntff.path).stem().string();
  return {neff.path, ntff.path, neff.program, neff.key, number_after(name, "_instid_"), static_cast<uint16_t>(number_after(name, "_vnc_")), neff.ours};
}

std::vector<std::string> beside(const fs::path& path, std::string_view extension) {
  std::vector<std::string> found;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    if (ends(at->path(), extension)) found.push_back(at->path().string());
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
  const bool given_neff = ends(path, ".neff");
  const Side given = given_neff ? describe_neff(path) : describe_ntff(path);
  std::vector<DeviceFiles> pairs;
  for (const std::string& other : beside(path, given_neff ? ".ntff" : ".neff")) {
    const Side side = given_neff ? describe_ntff(other) : describe_neff(other);
    if (given_neff ? belong(given, side) : belong(side, given)) pairs.push_back(given_neff ? pair_of(given, side) : pair_of(side, given));
  }
  if (pairs.empty()) {
    return not_found(given_neff ? "no .ntff of the program in " + path + " lies beside it; give it as the second argument"
                                : "no .neff of the program that " + path + " shows lies beside it; give both: X.neff Y.ntff");
  }
  return *std::min_element(pairs.begin(), pairs.end(), [](const DeviceFiles& a, const DeviceFiles& b) {
    return std::tuple(a.nc, a.instance, a.ntff) < std::tuple(b.nc, b.instance, b.ntff);
  });
}

Result<DeviceFiles> pair_up(const std::string& a, const std::string& b) {
  const bool swapped = ends(a, ".ntff");
  const std::string &neff = swapped ? b : a, &ntff = swapped ? a : b;
  if (!ends(neff, ".neff") || !ends(ntff, ".ntff")) return invalid_argument("a device profile is a .neff and its .ntff; these are " + a + " and " + b);
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

Result<std::vector<DeviceFiles>> device_pairs(const std::string& folder) {
  std::error_code error;
  std::vector<Side> neffs, ntffs;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() >= kMaxDepth) at.disable_recursion_pending();
    if (ends(at->path(), ".neff")) neffs.push_back(describe_neff(at->path().string()));
    if (ends(at->path(), ".ntff")) ntffs.push_back(describe_ntff(at->path().string()));
  }
  if (error) return not_found("cannot read " + folder + ": " + error.message());
  const auto by_path = [](const Side& a, const Side& b) { return a.path < b.path; };
  std::sort(neffs.begin(), neffs.end(), by_path);
  std::sort(ntffs.begin(), ntffs.end(), by_path);
  std::multimap<std::string, const Side*> by_key;
  for (const Side& neff : neffs) by_key.emplace(neff.key, &neff);
  std::vector<DeviceFiles> pairs;
  for (const Side& ntff : ntffs) {
    const Side* partner = nullptr;
    // The same program may lie in several folders of a run; the one beside it goes first.
    for (auto [i, end] = by_key.equal_range(ntff.key); i != end; ++i) {
      if (!belong(*i->second, ntff)) continue;
      const bool near = fs::path(i->second->path).parent_path() == fs::path(ntff.path).parent_path();
      if (partner == nullptr || near) partner = i->second;
      if (near) break;
    }
    if (partner != nullptr) pairs.push_back(pair_of(*partner, ntff));
  }
  if (pairs.empty()) {
    return not_found("no device profile in " + folder + ": " + std::to_string(neffs.size()) + " .neff and " + std::to_string(ntffs.size()) +
                     " .ntff, none of which belong together; capture with DEVICE on (NeuronConfig, docs/profiling.md)");
  }
  return pairs;
}

Result<device::DeviceProfile> read_device_pair(const std::string& neff_path, const std::string& ntff_path) {
  LW_ASSIGN_OR_RETURN(const std::string neff, read_file(neff_path));
  LW_ASSIGN_OR_RETURN(const std::string ntff, read_file(ntff_path));
  record::NeffHeader header;
  const bool foreign_neff = record::read_neff_header(neff, &header).ok() && !header.build_version.starts_with("lanewise ");
  if (foreign_neff && lanewise_pair::looks_like_ntff(ntff))
    return failed_precondition(ntff_path + " shows a run on the simulator, " + neff_path + " is a program of another compiler; they are no pair");
  auto profile = foreign_neff ? pair::profile_of_bytes(neff, ntff) : lanewise_pair::read_pair(neff, ntff);
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
  } else if (ends(request.path, ".neff") || ends(request.path, ".ntff")) {
    LW_ASSIGN_OR_RETURN(opened.files, find_partner(request.path));
  } else {
    return invalid_argument(request.path + " is no .neff, no .ntff and no folder");
  }
  LW_ASSIGN_OR_RETURN(opened.profile, read_device_pair(opened.files.neff, opened.files.ntff));
  add_sources(opened.execution ? opened.execution->launch : first_launch(opened.files.ntff), &opened.profile);
  return opened;
}

}  // namespace lanewise::trace::session
