// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/pair/open_pair.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "trace/import/neff/program.h"
#include "trace/import/ntff/profile.h"
#include "trace/pair/file_kind.h"
#include "trace/record/output_file.h"

namespace lanewise::trace::pair {

namespace fs = std::filesystem;

Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return not_found("cannot read " + path + ": it is no file");
  auto bytes = record::read_whole_file(path);
  if (!bytes.ok()) return not_found(bytes.status().message());
  return bytes;
}

Result<device::DeviceProfile> profile_of_bytes(std::string_view neff, std::string_view ntff) {
  auto program = neff::read_file(neff);
  if (!program.ok()) {
    std::string damage;
    if (neff::open_container(ntff, &damage).ok()) return invalid_argument("the two files are swapped: give the .neff first, then the .ntff");
    return program.status().with_context("NEFF");
  }
  const std::string_view id(reinterpret_cast<const char*>(program->header.uuid.data()), program->header.uuid.size());
  auto profile = ntff::read_profile(ntff, neff::program_of(*program), id);
  if (!profile.ok()) return profile.status().with_context("NTFF");
  auto& sentences = profile->ledger.sentences;
  for (size_t i = program->problems.size(); i-- > 0;) sentences.insert(sentences.begin(), "NEFF: " + program->problems[i]);
  profile->ledger.cut = profile->ledger.cut || program->damaged ||
                        std::any_of(program->cores.begin(), program->cores.end(), [](const neff::Core& core) { return !core.missing.empty(); });
  return profile;
}

Result<device::DeviceProfile> open_pair(const std::string& neff, const std::string& ntff) {
  LW_ASSIGN_OR_RETURN(const std::string program, read_file(neff));
  LW_ASSIGN_OR_RETURN(const std::string records, read_file(ntff));
  auto profile = profile_of_bytes(program, records);
  if (!profile.ok()) return profile.status().with_context(fs::path(ntff).filename().string());
  return profile;
}

Result<std::vector<PairPaths>> pairs_in(const std::string& folder, std::vector<std::string>* alone) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) return not_found(folder + " is no folder that can be read");
  std::vector<fs::path> neffs, ntffs;
  for (const auto& entry : entries) {
    const FileKind kind = kind_of_file(entry.path().string());
    if (kind == FileKind::neff) neffs.push_back(entry.path());
    if (kind == FileKind::ntff) ntffs.push_back(entry.path());
  }
  std::sort(neffs.begin(), neffs.end());
  std::sort(ntffs.begin(), ntffs.end());
  std::vector<PairPaths> pairs;
  std::vector<bool> used(neffs.size());
  for (const fs::path& ntff : ntffs) {
    const std::string stem = ntff.stem().string();
    const std::string hash = stem.substr(0, stem.find("_instid_"));
    size_t found = neffs.size();
    for (size_t i = 0; i < neffs.size() && found == neffs.size(); ++i) {
      const std::string theirs = neffs[i].stem().string();
      if (theirs == stem || theirs == "neff_" + hash || theirs.starts_with("neff_" + hash + "_")) found = i;
    }
    // Called by other names: by the id inside.
    const std::string id = found == neffs.size() ? real_pair_id(ntff.string(), FileKind::ntff) : "";
    for (size_t i = 0; i < neffs.size() && found == neffs.size() && !id.empty(); ++i) {
      if (same_pair(real_pair_id(neffs[i].string(), FileKind::neff), id)) found = i;
    }
    if (found == neffs.size()) {
      alone->push_back(ntff.string());
      continue;
    }
    used[found] = true;
    pairs.push_back({stem, neffs[found].string(), ntff.string()});
  }
  for (size_t i = 0; i < neffs.size(); ++i)
    if (!used[i]) alone->push_back(neffs[i].string());
  return pairs;
}

}  // namespace lanewise::trace::pair
