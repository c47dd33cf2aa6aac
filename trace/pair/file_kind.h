// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which half of a device profile a file is, and which other half it says it belongs to: by its bytes, whatever it is called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanewise::trace::pair {

enum class FileKind : uint8_t { other, neff, ntff };

// By the headers of docs/formats: a NEFF's package version and header size, the magic of our own captures, and of real ones version, size of
// the metadata, zeros and the first field. `bytes`: the file, or at least its first kKindBytes.
inline constexpr size_t kKindBytes = 129;
FileKind kind_of_bytes(std::string_view bytes);

// Of a file. One whose bytes say nothing (empty, damaged) is what its name (.neff, .ntff) says it was meant to be, so that who opens it is
// told what is wrong with it.
FileKind kind_of_file(const std::string& path);

// The pair id that both halves of a real profile hold, as the capture keeps it: cut at its first zero byte. Empty: there is none to be read.
// Reads the header of a NEFF; header and metadata of a capture.
std::string real_pair_id(const std::string& path, FileKind kind);
// Whether a NEFF and a capture with these ids belong together. The capture's may have bytes behind it that are not its own.
bool same_pair(std::string_view neff_id, std::string_view ntff_id);

}  // namespace lanewise::trace::pair
