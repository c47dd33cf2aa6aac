// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Drives a fuzz target where there is no libFuzzer: mutates a corpus, keeps every input that reaches new code, and saves the
// input that ends the process. Coverage comes from -fsanitize-coverage=trace-pc, which g++ has too; the target is compiled
// with it, this file is not.
//
//   driver [-seconds=N] [-seed=N] [-max_len=N] [-artifacts=DIR] CORPUS_DIR...   mutate for N seconds of CPU time
//   driver FILE...                                                              run each file once
//
// New inputs are written to the first folder. The same seed and corpus give the same inputs.
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

constexpr unsigned kHangSeconds = 20;
std::array<uint8_t, 1 << 16> hits;    // of this run, by edge
std::array<uint8_t, 1 << 16> seen;    // of all runs: a bit for each power of two of hits
uintptr_t previous = 0;

std::string input;                    // what the target is reading
std::string artifacts = ".";

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

std::string hash_name(const std::string& bytes) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
  return text;
}

void save(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// Called where the process ends for a reason of the target.
void save_finding() {
  const fs::path path = fs::path(artifacts) / ("finding-" + hash_name(input));
  save(path, input);
  std::fprintf(stderr, "the input is in %s\n", path.c_str());
}
void on_signal(int signal) {
  std::fprintf(stderr, "%s\n", signal == SIGALRM ? "the target hangs" : "the target gave up");
  save_finding();
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

// True: it reached something that no input before has.
bool run(const std::string& bytes) {
  input = bytes;
  // A copy of exactly that size, so that a read behind it is seen.
  std::vector<uint8_t> exact(bytes.begin(), bytes.end());
  hits.fill(0);
  previous = 0;
  alarm(kHangSeconds);
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  alarm(0);
  bool fresh = false;
  for (size_t i = 0; i < hits.size(); ++i) {
    if (hits[i] == 0) continue;
    uint8_t bit = 0;
    for (int n = hits[i]; n > 1; n >>= 1) ++bit;
    const auto mask = static_cast<uint8_t>(1u << bit);
    fresh |= (seen[i] & mask) == 0;
    seen[i] |= mask;
  }
  return fresh;
}

class Mutator {
 public:
  Mutator(uint64_t seed, size_t max_len) : random_(seed), max_len_(max_len) {}

  size_t pick(size_t n) { return n == 0 ? 0 : static_cast<size_t>(random_() % n); }

  std::string mutate(std::string text, const std::vector<std::string>& corpus) {
    for (size_t n = size_t{1} << pick(4); n > 0; --n) {
      const size_t at = pick(text.size() + 1), length = 1 + pick(size_t{1} << pick(7));
      switch (pick(10)) {
        case 0: if (at < text.size()) text.erase(at, length); break;
        case 1: if (at < text.size()) text[at] = static_cast<char>(random_()); break;
        case 2: if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << pick(8))); break;
        case 3: text.insert(at, std::string(pick(4) == 0 ? length : 1, static_cast<char>(random_()))); break;
        case 4: if (!text.empty()) text.insert(at, text.substr(pick(text.size()), length)); break;
        case 5: if (pick(4) == 0) text.resize(at); break;
        case 6:
        case 7: {  // a piece of another input
          const std::string& other = corpus[pick(corpus.size())];
          if (other.empty()) break;
          const std::string piece = other.substr(pick(other.size()), length);
          if (pick(2) == 0) text.insert(at, piece);
          else text.replace(at, std::min(piece.size(), text.size() - at), piece);
          break;
        }
        case 8: if (at < text.size()) text[at] = static_cast<char>(text[at] + static_cast<int>(pick(9)) - 4); break;
        default: {
          constexpr const char* kNumbers[] = {"0", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e308",
                                              "\x7f", "\xff\xff\xff\xff\x0f", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"};
          text.insert(at, kNumbers[pick(std::size(kNumbers))]);
          break;
        }
      }
    }
    if (text.size() > max_len_) text.resize(max_len_);
    return text;
  }

 private:
  std::mt19937_64 random_;
  const size_t max_len_;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

// For each basic block of the target.
extern "C" void __sanitizer_cov_trace_pc() {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  const uintptr_t mixed = (here * 0x9e3779b97f4a7c15u) >> 48;
  uint8_t& count = hits[(mixed ^ previous) & 0xffff];
  if (count != 0xff) ++count;
  previous = mixed >> 1;
}
extern "C" void __sanitizer_set_death_callback(void (*callback)());

int main(int argc, char** argv) {
  double seconds = 60;
  uint64_t seed = 1;
  size_t max_len = 4096;
  std::vector<fs::path> folders, files;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&](const char* name) { return argument.starts_with(name) ? argument.c_str() + std::strlen(name) : nullptr; };
    if (const char* v = value("-seconds=")) seconds = std::atof(v);
    else if (const char* v = value("-seed=")) seed = std::strtoull(v, nullptr, 10);
    else if (const char* v = value("-max_len=")) max_len = std::strtoull(v, nullptr, 10);
    else if (const char* v = value("-artifacts=")) artifacts = v;
    else (fs::is_directory(argument) ? folders : files).push_back(argument);
  }
  __sanitizer_set_death_callback(save_finding);
  std::signal(SIGABRT, on_signal);
  std::signal(SIGALRM, on_signal);

  for (const fs::path& file : files) run(read_file(file));
  if (folders.empty()) {
    std::printf("%zu files read\n", files.size());
    return files.empty() ? 2 : 0;
  }
  std::vector<fs::path> found;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> corpus;
  uint64_t executions = 0;
  for (const fs::path& path : found) {
    corpus.push_back(read_file(path));
    run(corpus.back());
    ++executions;
  }
  if (corpus.empty()) corpus.emplace_back();
  const size_t started_with = corpus.size();

  Mutator mutator(seed, max_len);
  const double start = cpu_seconds();
  double told = start;
  const auto tell = [&](double now) {
    std::fprintf(stderr, "%8.0f s CPU  %10llu executions  %6.0f /s  corpus %zu (%zu new)\n", now - start,
                 static_cast<unsigned long long>(executions), static_cast<double>(executions) / std::max(0.001, now - start),
                 corpus.size(), corpus.size() - started_with);
    told = now;
  };
  for (double now = start; now - start < seconds; now = cpu_seconds()) {
    for (int i = 0; i < 32; ++i, ++executions) {
      // Half of the time from the newest ones, which stand at the edge of what is known.
      const size_t from = mutator.pick(2) == 0 ? mutator.pick(corpus.size()) : corpus.size() - 1 - mutator.pick(std::min<size_t>(corpus.size(), 64));
      std::string text = mutator.mutate(corpus[from], corpus);
      if (!run(text)) continue;
      save(folders.front() / hash_name(text), text);
      corpus.push_back(std::move(text));
    }
    if (now - told > 20) tell(now);
  }
  tell(cpu_seconds());
  return 0;
}
