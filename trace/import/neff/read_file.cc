// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/neff/program.h"

namespace lanewise::trace::neff {

Result<record::Neff> open_container(std::string_view bytes, std::string* damage) {
  damage->clear();
  if (bytes.empty()) return invalid_argument("the file is empty: a NEFF has 1024 bytes of header and an archive");
  record::Neff neff;
  const Status status = record::read_neff(bytes, &neff);
  if (status.ok()) return neff;
  if (neff.header.header_size != record::kNeffHeaderBytes) {
    // Not even a header: say what would be one.
    return invalid_argument("not a NEFF (" + status.message() + "); a NEFF is what neuronx-cc or Lanewise writes as .neff");
  }
  if (neff.header.pkg_version > 2 && neff.header.pkg_version < 100)
    return unimplemented("this NEFF has package version " + std::to_string(neff.header.pkg_version) +
                         ", which is newer than 2, the newest that is known here; use the Lanewise of its time");
  if (neff.header.pkg_version < 1 || neff.header.pkg_version > 2) return invalid_argument("not a NEFF (" + status.message() + ")");
  if (neff.members.empty()) return status;
  *damage = status.message();
  return neff;
}

Result<RealNeff> read_file(std::string_view bytes) {
  std::string damage;
  LW_ASSIGN_OR_RETURN(const record::Neff neff, open_container(bytes, &damage));
  auto real = read_real_neff(neff);
  if (!damage.empty()) {
    if (!real.ok()) return real.status().with_context(damage);
    real->problems.insert(real->problems.begin(), damage);
    real->damaged = true;
  }
  return real;
}

}  // namespace lanewise::trace::neff
