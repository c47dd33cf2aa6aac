// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Device profiles in the server: which files open as one, what a damaged pair is told, and the way from a launch to its profile.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "server/http/app.h"
#include "server/wire/json_value.h"
#include "tests/device/captured.h"
#include "trace/device_analysis/dma.h"
#include "trace/record/record_fixture.h"
#include "trace/session/device_files.h"

namespace lanewise::test {
namespace {

namespace fs = std::filesystem;
using server::library::Library;
using server::library::OpenTrace;
using server::library::StateFolder;
using server::library::TraceKind;
using server::library::TraceState;
using server::wire::JsonValue;
using trace::record::TemporaryFolder;

class Body : public server::http::BodyReader {
 public:
  explicit Body(std::string text) : text_(std::move(text)) {}
  Result<size_t> read(char* to, size_t most) override {
    const size_t count = std::min(most, text_.size() - at_);
    text_.copy(to, count, at_);
    at_ += count;
    return count;
  }
  std::optional<uint64_t> length() const override { return text_.size(); }

 private:
  std::string text_;
  size_t at_ = 0;
};

class DeviceServer : public testing::Test {
 protected:
  DeviceServer() {
    root = fs::canonical(folder.path()).string();
    state = std::make_unique<StateFolder>(root + "/state");
    library = std::make_unique<Library>(state.get());
    server::http::AppOptions options;
    options.token = "token";
    app = std::make_unique<server::http::App>(options, library.get(), state.get(), &listener);
    const auto made = capture_graph(rms_norm_graph(4, 512), "rms_norm");
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    captured = *made;
  }

  std::string make_folder(const std::string& name) const {
    fs::create_directories(root + "/" + name);
    return root + "/" + name;
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  static const OpenTrace& wait(const std::shared_ptr<OpenTrace>& trace) {
    while (trace->busy()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return *trace;
  }

  // A capture folder of one launch: 100 us of overhead before and 50 us after a program of 10 us.
  std::string capture_folder(const std::string& name) const {
    const std::string capture = make_folder(name);
    write_pair(captured, capture);
    write(capture + "/trace.json", R"({"schemaVersion":1,"traceEvents":[
      {"ph":"X","cat":"cpu_op","name":"aten::rms_norm","pid":1,"tid":1,"ts":1000,"dur":20,"args":{"External id":1}},
      {"ph":"X","cat":"privateuse1_runtime","name":"nrta_execute_schedule","pid":1,"tid":1,"ts":1005,"dur":5,"args":{"correlation":9,"External id":1}},
      {"ph":"X","cat":"kernel","name":"rms_norm","pid":0,"tid":0,"ts":1010,"dur":160,"args":{"device":0,"stream":0,"correlation":9,"External id":1,"program":")" +
                                         std::to_string(captured.hash) + R"(","overhead before ns":100000,"overhead after ns":50000}},
      {"ph":"X","cat":"cpu_op","name":"aten::view","pid":1,"tid":1,"ts":2000,"dur":3}]})");
    return capture;
  }

  std::pair<int, JsonValue> ask(const std::string& method, const std::string& target, const std::string& body = {}) {
    server::http::Request request;
    request.method = method;
    EXPECT_TRUE(server::http::parse_target(target, &request).ok());
    request.headers = {{"host", "localhost"}, {"authorization", "Bearer token"}};
    Body reader(body);
    request.body = &reader;
    const auto response = app->handle(request);
    const auto json = JsonValue::parse(response.shared ? *response.shared : response.body);
    return {response.status, json.ok() ? *json : JsonValue()};
  }

  // A frame is no JSON: its bytes as they are.
  std::pair<int, std::string> ask_frame(const std::string& target, const std::string& body) {
    server::http::Request request;
    request.method = "POST";
    EXPECT_TRUE(server::http::parse_target(target, &request).ok());
    request.headers = {{"host", "localhost"}, {"authorization", "Bearer token"}};
    Body reader(body);
    request.body = &reader;
    const auto response = app->handle(request);
    return {response.status, response.shared ? *response.shared : response.body};
  }

  TemporaryFolder folder;
  std::string root;
  std::unique_ptr<StateFolder> state;
  std::unique_ptr<Library> library;
  server::http::Listener listener;
  std::unique_ptr<server::http::App> app;
  Captured captured;
};

TEST_F(DeviceServer, OpensEitherHalfAFolderOfPairsAndAPairFromTwoPlaces) {
  const std::string pairs = make_folder("pairs");
  const std::string neff = write_pair(captured, pairs);
  std::string ntff;
  for (const auto& entry : fs::directory_iterator(pairs)) {
    if (entry.path().extension() == ".ntff") ntff = entry.path().string();
  }
  std::vector<std::shared_ptr<OpenTrace>> opened;
  for (const std::string& path : {neff, ntff, pairs}) {
    const auto named = library->name(path);
    ASSERT_TRUE(named.ok()) << named.status().to_string();
    opened.push_back(named->front());
  }
  const std::string far = make_folder("far") + "/copy.ntff";
  fs::copy_file(ntff, far);
  const auto pair = library->name_pair(far, neff);
  ASSERT_TRUE(pair.ok()) << pair.status().to_string();
  opened.push_back(*pair);
  for (const auto& trace : opened) EXPECT_EQ(trace, opened[0]) << "the same content is one trace";
  const OpenTrace& trace = wait(opened[0]);
  EXPECT_EQ(trace.status().state, TraceState::ready) << trace.status().error;
  EXPECT_EQ(trace.kind(), TraceKind::device);
  EXPECT_FALSE(trace.status().simulated.empty());
  EXPECT_EQ(trace.status().events, trace.view()->device->events());
}

TEST_F(DeviceServer, SaysWhatIsWrongWithAPair) {
  const std::string alone = make_folder("alone");
  const std::string neff = write_pair(captured, alone);
  for (const auto& entry : fs::directory_iterator(alone)) {
    if (entry.path().extension() == ".ntff") fs::remove(entry.path());
  }
  const auto half = library->name(neff);
  ASSERT_FALSE(half.ok());
  EXPECT_NE(half.status().message().find(".ntff"), std::string::npos) << half.status().message();

  const auto fails = [&](const std::string& bytes) {
    const std::string ntff = alone + "/x.ntff";
    write(ntff, bytes);
    const auto opened = library->name_pair(neff, ntff);
    EXPECT_TRUE(opened.ok()) << opened.status().to_string();
    const auto status = wait(*opened).status();
    EXPECT_EQ(status.state, TraceState::failed) << bytes.size();
    return status.error;
  };
  EXPECT_FALSE(fails("").empty());
  EXPECT_FALSE(fails("no profile at all").empty());
  const auto other = capture_graph(matmul_graph(128), "other");
  ASSERT_TRUE(other.ok());
  EXPECT_NE(fails(other->ntff).find("program"), std::string::npos) << "the program of another file";
  EXPECT_FALSE(library->name_pair(neff, neff).ok());
}

TEST_F(DeviceServer, LeadsFromALaunchToItsProfileAtThatMoment) {
  const auto named = library->name(capture_folder("capture"));
  ASSERT_TRUE(named.ok()) << named.status().to_string();
  const OpenTrace& session = wait(named->front());
  ASSERT_EQ(session.status().state, TraceState::ready) << session.status().error;
  EXPECT_EQ(session.kind(), TraceKind::session);

  // The operator, the call and the execution lead to the same profile; what launched nothing leads nowhere.
  std::string device;
  for (const char* event : {"0", "1", "2"}) {
    const auto [status, json] = ask("POST", "/api/device", R"({"trace":")" + session.id() + R"(","event":")" + event + "\"}");
    ASSERT_EQ(status, 200) << json.text_of("error");
    EXPECT_EQ(json.integer_of("at"), 0) << "the program begins after the overhead before it";
    const JsonValue& from = *json.find("from");
    EXPECT_EQ(from.text_of("event"), "2");
    EXPECT_EQ(from.integer_of("start_ns"), 10'000);
    EXPECT_EQ(from.integer_of("program_start_ns"), 110'000);
    device = json.find("trace")->text_of("id");
    EXPECT_EQ(json.find("trace")->text_of("kind"), "device");
    EXPECT_EQ(json.find("trace")->integer_of("tick_ps"), 1);
  }
  const auto moment = [&](int64_t at) {
    return ask("POST", "/api/device", R"({"trace":")" + session.id() + R"(","event":"2","at":)" + std::to_string(at) + "}").second.integer_of("at");
  };
  EXPECT_EQ(moment(112'000), 2'000'000) << "2 us into the program, in ps";
  EXPECT_EQ(moment(0), 0);
  EXPECT_EQ(moment(1'000'000), 10'000'000) << "no later than its end";
  EXPECT_EQ(ask("POST", "/api/device", R"({"trace":")" + session.id() + R"(","event":"3"})").first, 409);
  EXPECT_EQ(ask("POST", "/api/device", R"({"trace":")" + session.id() + R"(","event":"99"})").first, 404);

  const auto opened = library->find(device);
  ASSERT_NE(opened, nullptr);
  ASSERT_EQ(wait(opened).status().state, TraceState::ready) << opened->status().error;
  EXPECT_EQ(ask("POST", "/api/device", R"({"trace":")" + device + R"(","event":"0"})").first, 400) << "a profile is no session";
  EXPECT_EQ(ask("GET", "/api/trace/" + session.id() + "/event/0").second.text_of("execution"), "2");

  // Everything that a trace is asked.
  const std::string at = "/api/trace/" + device;
  const auto [lanes_status, lanes] = ask("GET", at + "/lanes");
  EXPECT_EQ(lanes_status, 200);
  bool hidden = false, engines = false;
  for (const auto& lane : lanes.find("lanes")->items()) {
    hidden |= lane.boolean_of("hidden");
    engines |= lane.text_of("group") == "engines";
  }
  EXPECT_TRUE(hidden) << "semaphores";
  EXPECT_TRUE(engines);
  for (const char* event : {"0", "1"}) {
    const auto [status, details] = ask("GET", at + "/event/" + event);
    EXPECT_EQ(status, 200);
    EXPECT_FALSE(details.find("args")->text_of("opcode").empty());
    EXPECT_EQ(ask("GET", at + "/chain/" + event).first, 200);
  }
  for (const char* table : {"summary", "instructions", "dma", "stalls", "memory", "roofline", "critical-path"}) {
    EXPECT_EQ(ask("POST", at + "/table/" + table, "{}").first, 200) << table;
  }
  for (const char* table : {"instructions", "dma", "stalls", "memory", "critical-path"}) {
    const auto [whole_status, whole] = ask_frame(at + "/table/" + table, "{}");
    const auto [part_status, part] = ask_frame(at + "/table/" + table, R"({"from":0,"to":100000})");
    EXPECT_EQ(whole_status, 200);
    EXPECT_EQ(part_status, 200) << table;
    EXPECT_NE(whole, part) << table << " is not limited to its range";
    EXPECT_EQ(ask("POST", at + "/table/" + table, R"({"from":5,"to":5})").first, 400) << "an empty range";
  }
  const auto [bands_status, bands] = ask("GET", at + "/small-dmas");
  EXPECT_EQ(bands_status, 200);
  const auto& profile = library->find(device)->view()->device->program();
  const auto regions = trace::device_analysis::small_regions({profile, library->find(device)->view()->device->machine()});
  ASSERT_FALSE(regions.empty()) << "a row of 512 floats is small";
  ASSERT_EQ(bands.find("regions")->items().size(), regions.size());
  for (const auto& band : bands.find("regions")->items()) {
    const auto same = [&](const auto& r) {
      return r.begin.value == band.integer_of("from") && r.end.value == band.integer_of("to") && r.descriptors == band.integer_of("descriptors") &&
             trace::device_analysis::region_sentence(r) == band.text_of("text");
    };
    EXPECT_TRUE(std::any_of(regions.begin(), regions.end(), same)) << band.text_of("text");
    EXPECT_LT(band.integer_of("average_bytes"), bands.integer_of("below_bytes"));
  }
  EXPECT_EQ(ask("GET", "/api/trace/" + session.id() + "/small-dmas").first, 400);
  EXPECT_EQ(ask("POST", at + "/table/summary", R"({"from":0,"to":100000})").first, 400) << "is about the whole";
  EXPECT_EQ(ask("POST", at + "/table/ops", "{}").first, 404);
  EXPECT_EQ(ask("GET", at + "/info").first, 400);
  EXPECT_EQ(ask("POST", at + "/arrows", "{}").first, 200);
  EXPECT_EQ(ask("POST", at + "/select", R"({"where":{"engine":"sync"}})").first, 200);
  EXPECT_EQ(ask("POST", "/api/trace/" + session.id() + "/select", R"({"where":{"engine":"sync"}})").first, 400);
}

TEST_F(DeviceServer, ShowsRealCapturesAndAsksTheirPrograms) {
  const char* given = std::getenv("LANEWISE_SHARED");
  const std::string shared = (given != nullptr ? std::string(given) : std::string(LANEWISE_SOURCE_DIR) + "/../shared") + "/hardware";
  const auto pairs = trace::session::device_pairs(shared);
  if (!pairs.ok() || pairs->empty()) GTEST_SKIP() << "skipped: the public captures are not there; set LANEWISE_SHARED";
  for (const auto& files : *pairs) {
    SCOPED_TRACE(files.ntff);
    const auto named = library->name(files.ntff);
    ASSERT_TRUE(named.ok()) << named.status().to_string();
    const OpenTrace& trace = wait(named->front());
    ASSERT_EQ(trace.status().state, TraceState::ready) << trace.status().error;
    EXPECT_EQ(trace.name(), fs::path(files.ntff).stem().string());
    EXPECT_TRUE(trace.status().simulated.empty());
    const auto view = trace.view();
    // The runtime's work lies before the program, whose begin is 0 here and in the tables.
    EXPECT_LT(view->timeline->begin(), 0);
    const auto& program = view->device->program();
    EXPECT_LT(program.instructions.size(), view->device->profile().instructions.size());
    EXPECT_LE(program.duration.value, view->timeline->end());
    std::vector<int64_t> asked, shown;
    for (const auto& run : program.instructions) asked.push_back(run.begin.value);
    for (uint32_t event = 0; event < view->device->profile().instructions.size(); ++event) {
      if (view->device->instruction(event) != nullptr) shown.push_back(view->timeline->start_of({0, event}));
    }
    std::sort(asked.begin(), asked.end());
    std::sort(shown.begin(), shown.end());
    EXPECT_TRUE(std::includes(shown.begin(), shown.end(), asked.begin(), asked.end())) << "the timeline and the tables tell other times";
    bool dma_engines = false;
    for (const auto& lane : view->timeline->lanes()) dma_engines |= lane.group == server::timeline::Group::dma && lane.title.starts_with("E") && lane.slices.size() > 0;
    EXPECT_TRUE(dma_engines);
    const std::string at = "/api/trace/" + trace.id();
    for (const char* table : {"summary", "instructions", "dma", "stalls", "memory", "roofline", "critical-path"}) {
      EXPECT_EQ(ask("POST", at + "/table/" + table, "{}").first, 200) << table;
    }
    for (uint32_t event = 0; event < view->device->events(); event += 97) {
      EXPECT_EQ(ask("GET", at + "/event/" + std::to_string(event)).first, 200) << event;
      EXPECT_EQ(ask("GET", at + "/chain/" + std::to_string(event)).first, 200) << event;
    }
  }
}

TEST_F(DeviceServer, SaysWhyALaunchHasNoProfile) {
  const std::string capture = capture_folder("bare");
  for (const auto& entry : fs::directory_iterator(capture)) {
    if (entry.path().extension() == ".ntff") fs::remove(entry.path());
  }
  const auto named = library->name(capture);
  ASSERT_TRUE(named.ok());
  const std::string id = wait(named->front()).id();
  const auto [status, json] = ask("POST", "/api/device", R"({"trace":")" + id + R"(","event":"2"})");
  EXPECT_EQ(status, 409);
  EXPECT_NE(json.text_of("error").find("DEVICE"), std::string::npos) << json.text_of("error");
  // A file alone: nothing beside it was named.
  const auto file = library->name(capture + "/trace.json");
  ASSERT_TRUE(file.ok());
  const auto alone = ask("POST", "/api/device", R"({"trace":")" + wait(file->front()).id() + R"(","event":"2"})");
  EXPECT_EQ(alone.first, 409);
}

}  // namespace
}  // namespace lanewise::test
