// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/library/library.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "server/library/folder_list.h"
#include "server/library/source_text.h"
#include "server/library/trace_id.h"
#include "server/library/uploads.h"

namespace lanewise::server::library {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrace = R"({"traceEvents": [{"ph":"X","cat":"cpu_op","name":"aten::mul","pid":1,"tid":1,"ts":1,"dur":2}]})";

// A folder for one test, with a state folder in it.
class LibraryTest : public testing::Test {
 protected:
  LibraryTest() {
    std::string pattern = (fs::temp_directory_path() / "lw_library_XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    root = fs::canonical(pattern);
  }
  ~LibraryTest() override { fs::remove_all(root); }

  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = root / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  static void wait(const OpenTrace& trace) {
    while (trace.busy()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  fs::path root;
};

TEST_F(LibraryTest, AnIdIsMadeOfTheContent) {
  const auto id = [&](const std::vector<std::string>& files) { return *trace_id(files); };
  const std::string a = write("a.json", kTrace), same = write("b.json", kTrace), other = write("c.json", std::string(kTrace) + "\n");
  EXPECT_EQ(id({a}), id({same}));
  EXPECT_NE(id({a}), id({other}));
  EXPECT_NE(id({a}), id({a, same}));
  EXPECT_EQ(id({a}).size(), 16u);
  // Saved markers and addresses hold it: it must be the same in every release.
  EXPECT_EQ(id({write("fixed", "lanewise")}), "f77182f7c45754e5");
  EXPECT_EQ(trace_id({(root / "none").string()}).status().code(), StatusCode::not_found);
}

TEST_F(LibraryTest, OpensWhatWasNamedAndNothingElse) {
  StateFolder state((root / "state").string());
  Library library(&state);
  const std::string named = write("in/a.json", kTrace), beside = write("secret.json", "x");
  EXPECT_EQ(library.open(named).status().code(), StatusCode::failed_precondition);
  const auto opened = library.name(named);
  ASSERT_TRUE(opened.ok()) << opened.status().to_string();
  ASSERT_EQ(opened->size(), 1u);
  wait(*opened->front());
  EXPECT_EQ(opened->front()->status().state, TraceState::ready);
  EXPECT_EQ(opened->front()->status().kept, 1u);
  EXPECT_EQ(*library.open(named), opened->front()) << "the same trace is opened once";
  EXPECT_EQ(library.open(beside).status().code(), StatusCode::failed_precondition);
  EXPECT_EQ(library.open((root / "in/../secret.json").string()).status().code(), StatusCode::failed_precondition);
  EXPECT_EQ(library.open((root / "none").string()).status().code(), StatusCode::not_found);
  // In the next run it is one that was named before.
  Library next(&state);
  EXPECT_TRUE(next.open(named).ok());
  EXPECT_EQ(state.recent().front().path, named);
}

TEST_F(LibraryTest, LinksOutOfANamedFolderLeadNowhere) {
  StateFolder state((root / "state").string());
  Library library(&state);
  write("in/a.json", kTrace);
  const std::string outside = write("outside.json", kTrace);
  fs::create_symlink(outside, root / "in/link.json");
  fs::create_directory_symlink(root, root / "in/up");
  ASSERT_TRUE(library.name((root / "in").string()).ok());
  EXPECT_TRUE(library.allowed((root / "in/a.json").string()).ok());
  EXPECT_EQ(library.allowed((root / "in/link.json").string()).status().code(), StatusCode::failed_precondition);
  EXPECT_EQ(library.allowed((root / "in/up/outside.json").string()).status().code(), StatusCode::failed_precondition);
  // "in" does not allow "in_too".
  write("in_too/a.json", kTrace);
  EXPECT_EQ(library.allowed((root / "in_too/a.json").string()).status().code(), StatusCode::failed_precondition);
}

TEST_F(LibraryTest, AFolderOfCapturesOpensEachInTheOrderOfTime) {
  StateFolder state((root / "state").string());
  Library library(&state);
  for (const auto& [name, time] : {std::pair("compiled", "20261130_3"), {"eager", "20261130_1"}, {"fused", "20261130_2"}}) {
    const std::string folder = std::string("study/") + name + "/i-0abc_pid_7/" + time + "/";
    write(folder + "trace_info.pb", "x");
    write(folder + "trace.json", std::string(kTrace) + "\n" + std::string(time).substr(9) + "\n");
  }
  const auto opened = library.name((root / "study").string());
  ASSERT_TRUE(opened.ok()) << opened.status().to_string();
  std::vector<std::string> names;
  for (const auto& trace : *opened) names.push_back(trace->name());
  EXPECT_EQ(names, (std::vector<std::string>{"eager 20261130_1", "fused 20261130_2", "compiled 20261130_3"}));
  EXPECT_EQ(library.folders(), std::vector<std::string>{(root / "study").string()});
  const auto entries = list_folder((root / "study/eager/i-0abc_pid_7").string());
  ASSERT_TRUE(entries.ok());
  EXPECT_EQ(entries->front().kind, "capture");
}

TEST_F(LibraryTest, AFileThatIsNoTraceFailsWithASentenceAndCanBeTriedAgain) {
  StateFolder state((root / "state").string());
  Library library(&state);
  const std::string path = write("a.json", "");
  const auto opened = library.name(path);
  ASSERT_TRUE(opened.ok());
  wait(*opened->front());
  EXPECT_EQ(opened->front()->status().state, TraceState::failed);
  EXPECT_NE(opened->front()->status().error.find("empty"), std::string::npos);
  const auto again = library.open(path);
  ASSERT_TRUE(again.ok());
  EXPECT_NE(*again, opened->front());
}

TEST_F(LibraryTest, ClosingWhileItIsReadEndsTheRead) {
  std::string big = R"({"traceEvents": [)";
  for (int i = 0; i < 200'000; ++i) big += R"({"ph":"X","cat":"cpu_op","name":"aten::mul","pid":1,"tid":1,"ts":)" + std::to_string(i) + R"(,"dur":1},)" "\n";
  big += "{}]}";
  StateFolder state((root / "state").string());
  Library library(&state);
  const auto opened = library.name(write("big.json", big));
  ASSERT_TRUE(opened.ok());
  const std::string id = opened->front()->id();
  EXPECT_TRUE(library.close(id));
  EXPECT_FALSE(library.close(id));
  EXPECT_EQ(library.find(id), nullptr);
  wait(*opened->front());
}

TEST_F(LibraryTest, StateIsKeptAndReplacedAsAWhole) {
  StateFolder state((root / "state").string());
  EXPECT_EQ(*state.load("layout"), "null");
  ASSERT_TRUE(state.save("layout", R"({"a":1})").ok());
  EXPECT_EQ(*StateFolder((root / "state").string()).load("layout"), R"({"a":1})");
  EXPECT_EQ(state.save("layout", "{").code(), StatusCode::invalid_argument);
  for (const char* bad : {"", "..", "a/b", "a.b", "../x", "a b"}) EXPECT_EQ(state.save(bad, "{}").code(), StatusCode::invalid_argument) << bad;
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(state.remember({"/p" + std::to_string(i % 50), "n", "id", "when"}).ok());
  const auto recent = state.recent();
  EXPECT_EQ(recent.size(), 40u);
  EXPECT_EQ(recent.front().path, "/p9");
  write("state/recent.json", "{ half of");
  EXPECT_TRUE(state.recent().empty());
  EXPECT_EQ(StateFolder("").save("a", "{}").code(), StatusCode::failed_precondition);
}

TEST_F(LibraryTest, UploadsStayInsideTheirFolderAndWithinTheLimit) {
  StateFolder state((root / "state").string());
  std::string kept;
  {
    Uploads uploads(&state);
    for (const char* bad : {"", ".", "..", "../x", "a/b", "/etc/x", "a\nb"}) EXPECT_FALSE(uploads.begin(bad, "", 100).ok()) << bad;
    for (const char* bad : {"../x", "a/../../x", "/x"}) EXPECT_FALSE(uploads.begin(bad, "key", 100).ok()) << bad;
    auto sink = uploads.begin("a.json", "", 10);
    ASSERT_TRUE(sink.ok());
    EXPECT_TRUE(sink->write("12345").ok());
    EXPECT_EQ(sink->write("678901").code(), StatusCode::out_of_range);
    // Pieces of a folder share the limit and the place.
    for (const char* name : {"rank0/a.json", "rank1/a.json"}) {
      auto piece = uploads.begin(name, "ranks", 10);
      ASSERT_TRUE(piece.ok()) << piece.status().to_string();
      ASSERT_TRUE(piece->write("1234").ok());
      ASSERT_TRUE(piece->finish().ok());
    }
    kept = uploads.folder_of("ranks")->path;
    EXPECT_TRUE(fs::exists(fs::path(kept) / "rank1/a.json"));
    auto third = uploads.begin("rank2/a.json", "ranks", 10);
    ASSERT_TRUE(third.ok());
    EXPECT_EQ(third->write("123").code(), StatusCode::out_of_range);
    EXPECT_FALSE(uploads.begin("rank0/a.json", "ranks", 10).ok()) << "no piece replaces another";
    // A browser puts the folder's own name before every piece: the trace is called after it.
    ASSERT_TRUE(uploads.begin("my run/sub/a.json", "key", 10)->finish().ok());
    EXPECT_EQ(uploads.folder_of("key")->name, "my run");
    EXPECT_EQ(fs::path(uploads.folder_of("key")->path).filename(), "my run");
  }
  EXPECT_FALSE(fs::exists(kept)) << "uploads end with the server";
}

TEST_F(LibraryTest, SourceOnlyOutOfTheRoots) {
  std::string text;
  for (int i = 1; i <= 100; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string file = write("src/pkg/a.py", text), outside = write("outside.py", "secret\n");
  fs::create_symlink(outside, root / "src/link.py");
  write("src/binary", std::string("a\0b", 3));
  const std::vector<std::string> roots = {(root / "src").string()};
  const auto relative = read_source(roots, "pkg/a.py", 50);
  ASSERT_TRUE(relative.ok());
  EXPECT_EQ(relative->file, file);
  EXPECT_EQ(relative->lines[static_cast<size_t>(50 - relative->first_line)], "line 50");
  EXPECT_TRUE(read_source(roots, file, 1).ok());
  EXPECT_TRUE(read_source(roots, "pkg/a.py", 1'000'000)->lines.empty());
  for (const std::string& bad : {outside, std::string("../outside.py"), std::string("pkg/../../outside.py"), std::string("link.py"), std::string("/etc/passwd"), std::string("/not/there"), roots[0]}) {
    EXPECT_EQ(read_source(roots, bad, 1).status().code(), StatusCode::failed_precondition) << bad;
  }
  EXPECT_EQ(read_source(roots, "none.py", 1).status().code(), StatusCode::not_found);
  EXPECT_EQ(read_source(roots, "binary", 1).status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(read_source({}, "pkg/a.py", 1).status().code(), StatusCode::not_found);
}

}  // namespace
}  // namespace lanewise::server::library
