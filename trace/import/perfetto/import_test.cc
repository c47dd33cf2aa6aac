// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Synthetic Perfetto traces of the shapes that PyTorch and our captures write, put together byte by byte.
#include "trace/import/perfetto/import.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "trace/import/perfetto/fields.h"
#include "trace/import/perfetto/import_invariants.h"
#include "trace/import/perfetto/slice_pairs.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::trace::perfetto {
namespace {

// A message under construction.
class M {
 public:
  M& u(uint32_t field, uint64_t value) { return tag(field, 0).varint(value); }
  M& s(uint32_t field, std::string_view value) {
    tag(field, 2).varint(value.size());
    bytes_ += value;
    return *this;
  }
  M& m(uint32_t field, const M& value) { return s(field, value.bytes_); }
  M& f(uint32_t field, uint64_t value) {
    tag(field, 1);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i));
    return *this;
  }
  const std::string& str() const { return bytes_; }

 private:
  M& tag(uint32_t field, uint32_t wire) { return varint(uint64_t{field} << 3 | wire); }
  M& varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_ += static_cast<char>(v | 0x80);
    bytes_ += static_cast<char>(v);
    return *this;
  }
  std::string bytes_;
};

namespace p = fields::packet;
namespace e = fields::event;
namespace a = fields::annotation;
namespace d = fields::descriptor;

std::string packet(const M& m) { return M().m(fields::trace::packet, m).str(); }
std::string clocks() {
  const auto clock = [](uint64_t id, uint64_t stamp) { return M().u(1, id).u(2, stamp); };
  return packet(M().m(p::clock_snapshot, M().m(1, clock(1, 1'700'000'000'500'000'000)).m(1, clock(6, 1'000'000))).u(10, 1));
}
std::string thread_track(uint64_t uuid, int pid, int tid, const char* name) {
  return packet(M().m(p::track_descriptor, M().u(d::uuid, uuid).m(d::thread, M().u(1, pid).u(2, tid).s(5, name))).u(10, 1));
}
std::string lane_track(uint64_t uuid, uint64_t parent, const char* name) {
  return packet(M().m(p::track_descriptor, M().u(d::uuid, uuid).s(d::name, name).u(d::parent_uuid, parent)).u(10, 1));
}
M named(const char* name) { return M().s(a::name, name); }
std::string begin(uint64_t at, uint64_t track, const char* name, const char* category, const std::vector<M>& args = {}, uint64_t flow = 0) {
  M event;
  event.u(e::type, e::slice_begin).u(e::track_uuid, track).s(e::name, name).s(e::categories, category);
  for (const M& arg : args) event.m(e::debug_annotations, arg);
  if (flow) event.f(std::string_view(category) == "kernel" ? e::terminating_flow_ids : e::flow_ids, flow);
  return packet(M().u(p::timestamp, at).m(p::track_event, event).u(10, 1));
}
std::string end(uint64_t at, uint64_t track) {
  return packet(M().u(p::timestamp, at).m(p::track_event, M().u(e::type, e::slice_end).u(e::track_uuid, track)).u(10, 1));
}

Imported read(std::string_view bytes) {
  Imported out = import_bytes(bytes);
  if (out.status.ok()) {
    EXPECT_TRUE(out.file.ledger.balanced());
    EXPECT_EQ(out.file.ledger.input_bytes, bytes.size());
    EXPECT_EQ(out.file.ledger.kept, out.file.events.rows());
  }
  return out;
}

TEST(Perfetto, SlicesTracksArgsAndFlowsOfAllBeginsThenAllEnds) {
  // The order of PyTorch's .pftrace: begins of a kind, then its ends; the second kernel starts when the first one ends.
  const std::string text = clocks() + thread_track(1, 10, 11, "main") + lane_track(2, 0, "GPU 0") + lane_track(3, 2, "stream 7") +
                           begin(1'001'000, 1, "cudaLaunchKernel", "cuda_runtime", {named("correlation").u(a::uint_value, 5)}, 77) +
                           begin(1'002'000, 3, "k1", "kernel",
                                 {named("correlation").u(a::uint_value, 5), named("device").u(a::int_value, 0), named("stream").u(a::int_value, 7),
                                  named("grid").m(a::array_values, M().u(a::int_value, 4)).m(a::array_values, M().u(a::int_value, 1)),
                                  named("dtype").s(a::string_value, "bf\"16")}, 77) +
                           begin(1'005'000, 3, "k2", "kernel") + begin(1'006'000, 3, "zero", "kernel") +
                           end(1'001'500, 1) + end(1'005'000, 3) + end(1'006'000, 3) + end(1'006'000, 3);
  EXPECT_TRUE(looks_like_perfetto(std::string_view(text).substr(0, 4096)));
  const Imported in = read(text);
  ASSERT_TRUE(in.status.ok()) << in.status.to_string();
  const auto& t = in.file.events;
  // 3 names, 4 slices, 2 ends of one flow
  ASSERT_EQ(t.rows(), 9u);
  EXPECT_EQ(in.name(3), "cudaLaunchKernel");
  EXPECT_EQ(in.file.base_time_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(t.ts_ns[3] + in.file.base_time_ns, 1'700'000'000'500'001'000);
  EXPECT_EQ(t.dur_ns[3], 500);
  EXPECT_EQ(t.role_of(3), schema::Role::runtime);
  EXPECT_EQ(in.strings->text(t.track_of(3).pid), "10");
  EXPECT_EQ(in.strings->text(t.track_of(3).tid), "11");
  EXPECT_EQ(t.dur_ns[4], 3'000);
  EXPECT_EQ(t.dur_ns[5], 1'000);
  EXPECT_EQ(t.dur_ns[6], 0);
  EXPECT_EQ(t.role_of(4), schema::Role::kernel);
  EXPECT_EQ(t.correlation[4], 5);
  EXPECT_EQ(t.stream[4], 7);
  EXPECT_EQ(in.strings->text(t.track_of(4).pid), "GPU 0");
  EXPECT_EQ(in.strings->text(t.track_of(4).tid), "stream 7");
  EXPECT_EQ(in.file.args->json(4), R"({"correlation":5,"device":0,"stream":7,"grid":[4,1],"dtype":"bf\"16"})");
  EXPECT_EQ(in.strings->text(static_cast<uint32_t>(t.arg(schema::ArgKey::collective_dtype).find(4))), "bf\"16");
  EXPECT_EQ(t.phase[7], 's');
  EXPECT_EQ(t.phase[8], 'f');
  EXPECT_EQ(t.id[7], 77);
  EXPECT_EQ(t.track[8], t.track[4]);
  EXPECT_EQ(in.file.ledger.unpaired, 0u);
}

TEST(Perfetto, InternedTextsBelongToTheirSequenceAndState) {
  const auto interned = [](uint64_t iid, const char* name) {
    return M().m(fields::interned::event_names, M().u(1, iid).s(2, name)).m(fields::interned::event_categories, M().u(1, 1).s(2, "cpu_op"));
  };
  const auto event = [](uint64_t at, uint64_t sequence, uint64_t flags) {
    return M().u(p::timestamp, at).u(p::trusted_packet_sequence_id, sequence).u(p::sequence_flags, flags)
        .m(p::track_event, M().u(e::type, e::instant).u(e::name_iid, 9).u(e::category_iids, 1).u(e::track_uuid, 1));
  };
  std::string text = packet(event(1, 1, 2));  // the state is not there yet
  text += packet(event(2, 1, 1).m(p::interned_data, interned(9, "one")));
  text += packet(event(3, 2, 1).m(p::interned_data, interned(9, "two")));
  text += packet(event(4, 1, 2));
  text += packet(event(5, 1, 1).m(p::interned_data, interned(9, "new")));
  text += packet(event(6, 2, 2));
  const Imported in = read(text);
  ASSERT_TRUE(in.status.ok());
  ASSERT_EQ(in.file.events.rows(), 5u);
  const char* want[] = {"one", "two", "one", "new", "two"};
  for (schema::Row row = 0; row < 5; ++row) EXPECT_EQ(in.name(row), want[row]);
  EXPECT_EQ(in.file.events.phase[0], 'i');
  EXPECT_EQ(in.file.ledger.dropped, 1u);
  EXPECT_EQ(in.file.ledger.reasons[0].kind, "missing_state");
  EXPECT_EQ(in.file.base_time_ns, 0);  // no clock joins with REALTIME
  EXPECT_EQ(in.file.events.ts_ns[0], 2);
}

TEST(Perfetto, ACutAtEveryByteKeepsThePacketsBeforeIt) {
  const std::string head = clocks() + thread_track(1, 10, 11, "main");
  const std::string one = begin(5, 1, "a", "cpu_op") + end(6, 1);
  const std::string text = head + one + begin(7, 1, "b", "cpu_op") + end(9, 1);
  for (size_t cut = head.size(); cut < text.size(); ++cut) {
    const Imported in = read(std::string_view(text).substr(0, cut));
    ASSERT_TRUE(in.status.ok()) << cut;
    const size_t kept = 1 + (cut >= head.size() + begin(5, 1, "a", "cpu_op").size()) + (cut >= text.size() - end(9, 1).size());
    EXPECT_EQ(in.file.events.rows(), kept) << cut;
  }
}

TEST(Perfetto, DamageInTheMiddleIsSkipped) {
  const std::string a = clocks() + thread_track(1, 10, 11, "main") + begin(5, 1, "a", "cpu_op") + end(6, 1);
  const std::string b = begin(7, 1, "b", "cpu_op") + end(9, 1);
  const Imported in = read(a + "\xff\xff\xff\xff junk \x0a\x02zz" + b);
  ASSERT_TRUE(in.status.ok());
  EXPECT_EQ(in.name(in.file.events.rows() - 1), "b");
  EXPECT_EQ(in.file.events.dur_ns[in.file.events.rows() - 1], 2);
  EXPECT_GT(in.file.ledger.skipped_bytes, 0u);
}

// One of everything, for tests that do damage to it.
std::string mixed() {
  return clocks() + thread_track(1, 10, 11, "main") + lane_track(3, 2, "stream 7") +
         begin(1'001'000, 1, "launch", "cuda_runtime", {named("correlation").u(a::uint_value, 5)}, 77) + end(1'001'500, 1) +
         begin(1'002'000, 3, "k", "kernel", {named("grid").m(a::array_values, M().u(a::int_value, 4)), named("s").s(a::string_value, "x\n")}, 77) +
         end(1'003'000, 3) + packet(M().u(p::timestamp, 1'004'000).m(p::track_event, M().u(e::type, e::counter).u(e::counter_value, 9)));
}

TEST(Perfetto, HowTheBytesAreReadChangesNothing) {
  // Damage before a packet that is larger than a read: it must be found again.
  const std::string large = begin(5'000'000, 1, "large", "cpu_op", {named("text").s(a::string_value, std::string(9000, 't'))});
  for (const std::string& text : {mixed(), mixed() + "\xff\xff\xff junk" + large + end(6'000'000, 1) + mixed()}) {
    const std::string want = dump(read(text));
    for (const size_t piece : {1, 2, 3, 7, 64, 1000, 4095, 4096, 8192}) EXPECT_EQ(dump(import_in_pieces(text, piece)), want) << piece;
  }
  const Imported in = read("" + mixed() + "\xff\xff\xff junk" + large + end(6'000'000, 1));
  EXPECT_EQ(in.name(in.file.events.rows() - 3), "large");
}

TEST(Perfetto, NoDamageBreaksAnInvariant) {
  std::mt19937 random(20261130);
  const std::string seed = mixed();
  for (int round = 0; round < 600; ++round) {
    std::string text = seed;
    for (int n = 1 + static_cast<int>(random() % 4); n > 0; --n) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, 1 + random() % 9); break;
        case 2: text.insert(at, text.substr(random() % text.size(), random() % 60)); break;
        default: text.insert(at, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"); break;
      }
      if (text.empty()) text = "\n";
    }
    ASSERT_EQ(broken_invariant(text), "") << round;
  }
}

TEST(Perfetto, TimesThatDoNotFitAreClippedAndTold) {
  const uint64_t huge = 0xffff'ffff'ffff'fff0u;
  const Imported in = read(thread_track(1, 10, 11, "main") + begin(5, 1, "a", "cpu_op") + begin(huge, 1, "b", "cpu_op"));
  ASSERT_TRUE(in.status.ok());
  EXPECT_EQ(in.file.events.ts_ns[2], std::numeric_limits<int64_t>::max());
  EXPECT_EQ(in.file.ledger.clipped, 1u);
}

TEST(Perfetto, CountersKeepTheirDigitsAndTextsTheirControlCharacters) {
  const Imported in = read(packet(M().u(p::timestamp, 1).m(p::track_event, M().u(e::type, e::counter).f(e::double_counter_value, std::bit_cast<uint64_t>(1e-9)))) +
                           packet(M().u(p::timestamp, 2).m(p::track_event, M().u(e::type, e::instant).s(e::name, "i")
                               .m(e::debug_annotations, named("Collective name").s(a::string_value, "a\x01\"\n"))
                               .m(e::debug_annotations, named("raw").s(a::legacy_json_value, "{\"a\":")))));
  ASSERT_TRUE(in.status.ok());
  EXPECT_EQ(in.file.args->json(0), R"({"value":1e-09})");
  EXPECT_EQ(in.strings->text(static_cast<uint32_t>(in.file.events.arg(schema::ArgKey::collective).find(1))), "a\x01\"\n");
  EXPECT_EQ(in.file.args->json(1), R"({"Collective name":"a\u0001\"\n","raw":"{\"a\":"})");
}

TEST(Perfetto, OtherBytesAreNotTakenForIt) {
  EXPECT_FALSE(looks_like_perfetto("{\"traceEvents\": []}"));
  EXPECT_FALSE(looks_like_perfetto(""));
  EXPECT_FALSE(looks_like_perfetto("\x0a\x05hello"));
  EXPECT_FALSE(looks_like_perfetto("\n\n\n[{\"ph\": \"X\"}]"));
  EXPECT_EQ(read("").status.code(), StatusCode::data_loss);
}

TEST(SlicePairs, MarksOfOneTimeCloseEarlierSlicesFirst) {
  // begin 0, begin 10 (child), end 10?, end 20: in file order all begins first.
  const auto pairs = pair_marks({{0, true, 1, 0}, {10, true, 2, 0}, {20, true, 3, 0}, {10, false, 0, 0}, {20, false, 0, 0}, {30, false, 0, 0}});
  ASSERT_EQ(pairs.pairs.size(), 3u);
  EXPECT_EQ(pairs.pairs[0].row, 1u);
  EXPECT_EQ(pairs.pairs[0].dur_ns, 10);
  EXPECT_EQ(pairs.pairs[1].row, 2u);
  EXPECT_EQ(pairs.pairs[2].dur_ns, 10);
  EXPECT_TRUE(pairs.unpaired.empty());
  // In order of time the file is believed: a child of no length inside its parent.
  const auto nested = pair_marks({{0, true, 1, 0}, {5, true, 2, 0}, {5, false, 0, 0}, {9, false, 0, 0}});
  EXPECT_EQ(nested.pairs[0].row, 2u);
  EXPECT_EQ(nested.pairs[0].dur_ns, 0);
  EXPECT_EQ(nested.pairs[1].dur_ns, 9);
  const auto open = pair_marks({{0, true, 1, 0}, {5, false, 0, 0}, {6, false, 0, 7}});
  ASSERT_EQ(open.unpaired.size(), 1u);
  EXPECT_EQ(open.unpaired[0].offset, 7u);
}

}  // namespace
}  // namespace lanewise::trace::perfetto
