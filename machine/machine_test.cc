// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace lanewise::machine {
namespace {

TEST(MachineTest, EveryPresetLoadsAndHasASourceForEveryNumber) {
  EXPECT_EQ(preset_names(), (std::vector<std::string>{"trn1", "trn2", "trn3"}));
  for (const std::string& name : preset_names()) {
    const auto machine = load_machine(name);
    ASSERT_TRUE(machine.ok()) << machine.status().to_string();
    EXPECT_EQ(machine->name, name);
    EXPECT_EQ(machine->spec, name);
    const auto parameters = describe_machine(name);
    ASSERT_TRUE(parameters.ok());
    EXPECT_EQ(parameters->front().key, "chip.cores");
    for (const Parameter& p : *parameters) EXPECT_FALSE(p.source.empty()) << p.key;
  }
}

TEST(MachineTest, MicroFactsFollowFromTheNumbersOfTrn2) {
  const Machine m = load_machine("trn2").value();
  // Vector tensor_tensor fp32, N=1000: 1200 to 1202 ns; N=420: 596 ns.
  EXPECT_EQ(round_up_to_nanos(m.vector.clock.to_picos(Cycles(1000 + m.vector.fixed_cycles))).value, 1200);
  EXPECT_EQ(round_up_to_nanos(m.vector.clock.to_picos(Cycles(420 + m.vector.fixed_cycles))).value, 596);
  // Scalar copy N=128: 266.7 ns, every 156.7 ns while there is room, every 170 ns behind others.
  EXPECT_EQ(m.scalar.clock.to_picos(Cycles(128 + m.scalar.copy_fixed_cycles)).value / 100, 2666);
  EXPECT_NEAR(static_cast<double>(m.scalar.clock.to_picos(Cycles(128 + m.scalar.front_cycles)).value), 156'700, 100);
  EXPECT_NEAR(static_cast<double>(m.scalar.clock.to_picos(Cycles(128 + m.scalar.back_cycles)).value), 170'000, 100);
  // PE fp16 N=420: interval about 176 ns, latency 341 ns; twice the interval while cold.
  EXPECT_EQ(m.pe.clock.to_picos(Cycles(420)).value, 175'000);
  EXPECT_EQ(round_up_to_nanos(m.pe.clock.to_picos(Cycles(420 + m.pe.fill_drain_cycles))).value, 341);
  EXPECT_EQ(m.pe.throttle_factor, 2);
  // DMA 4000 B: 151.8 ns occupancy, 439 ns start to complete; 32,000 B at about 27.06 B/ns.
  const int64_t occupancy = m.dma.clock.to_picos(Cycles(4000 / m.dma.bytes_per_cycle + m.dma.descriptor_cycles)).value;
  EXPECT_NEAR(static_cast<double>(occupancy), 151'800, 100);
  EXPECT_NEAR(static_cast<double>(occupancy + m.dma.drain_ps), 439'000, 1000);
  EXPECT_GE(m.dma.descriptor_max_bytes, 32'000);
  const int64_t large = m.dma.clock.to_picos(Cycles(32'000 / m.dma.bytes_per_cycle + m.dma.descriptor_cycles)).value;
  EXPECT_NEAR(32'000e3 / static_cast<double>(large), 27.06, 0.05);
  // Six launches of the study with DEVICE capture: 2.355 ms, of which 4 to 8 us each are arithmetic.
  const int64_t watched = 6 * (m.host.exec_overhead_ns + m.host.device_capture_overhead_ns);
  EXPECT_NEAR(static_cast<double>(watched + 6 * 6000), 2'355'000, 25'000);
}

TEST(MachineTest, OverridesChangeTheNumberAndTheCanonicalSpec) {
  const auto m = load_machine(" trn2 , exec_overhead_ns=0,device_capture_overhead_ns=0, vector.clock_khz=480000 ");
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  EXPECT_EQ(m->host.exec_overhead_ns, 0);
  EXPECT_EQ(m->vector.clock.khz, 480'000);
  EXPECT_EQ(m->spec, "trn2,vector.clock_khz=480000,host.exec_overhead_ns=0,host.device_capture_overhead_ns=0");
  EXPECT_EQ(load_machine(m->spec)->spec, m->spec);
  EXPECT_EQ(load_machine("trn2,host.exec_overhead_ns=0")->host.exec_overhead_ns, 0);
  EXPECT_FALSE(load_machine("trn2,vector.perf_modes=false")->vector.perf_modes);
}

TEST(MachineTest, DescribeSaysWhatWasOverridden) {
  const auto parameters = describe_machine("trn2,dma.engines=4").value();
  for (const Parameter& p : parameters) {
    const bool overridden = p.source.starts_with("override; trn2 has 16 (");
    EXPECT_EQ(overridden, p.key == "dma.engines") << p.key;
    if (overridden) { EXPECT_EQ(p.value, "4"); }
  }
}

TEST(MachineTest, DefaultSpecComesFromTheEnvironment) {
  unsetenv("LANEWISE_MACHINE");
  EXPECT_EQ(default_spec(), "trn2");
  setenv("LANEWISE_MACHINE", "", 1);
  EXPECT_EQ(default_spec(), "trn2");
  setenv("LANEWISE_MACHINE", "trn3,dma.engines=8", 1);
  EXPECT_EQ(default_spec(), "trn3,dma.engines=8");
  EXPECT_EQ(load_machine(default_spec())->dma.engines, 8);
  unsetenv("LANEWISE_MACHINE");
}

struct Refused {
  const char* spec;
  StatusCode code;
  const char* message;
};

TEST(MachineTest, AKeyThatIsNearNoneListsAll) {
  const auto machine = load_machine("trn2,foo=1");
  ASSERT_FALSE(machine.ok());
  EXPECT_NE(machine.status().message().find("foo: unknown key; there are "), std::string::npos) << machine.status().message();
  EXPECT_NE(machine.status().message().find(", dma.engines, "), std::string::npos) << machine.status().message();
}

TEST(MachineTest, RefusedSpecs) {
  const auto bad = StatusCode::invalid_argument;
  const Refused cases[] = {
      {"trn9", StatusCode::not_found, "machine 'trn9': no such preset; there are trn1, trn2, trn3, or give a path to a .toml file"},
      {"", StatusCode::not_found, "machine '': no such preset; there are trn1, trn2, trn3, or give a path to a .toml file"},
      {"/nowhere/x.toml", StatusCode::not_found, "/nowhere/x.toml: cannot open this machine file"},
      {"trn2,dma.engines", bad, "machine 'trn2,dma.engines': dma.engines: must be key=value"},
      {"trn2,", bad, "machine 'trn2,': override: must be key=value"},
      {"trn2,=3", bad, "machine 'trn2,=3': override: must be key=value"},
      {"trn2,dma.engine=3", bad, "machine 'trn2,dma.engine=3': dma.engine: unknown key; the nearest is dma.engines"},
      {"trn2,exec_overhed_ns=3", bad,
       "machine 'trn2,exec_overhed_ns=3': exec_overhed_ns: unknown key; the nearest is host.exec_overhead_ns"},
      {"trn2,dma.engines=0", bad, "machine 'trn2,dma.engines=0': dma.engines: must be 1 to 1024, is 0"},
      {"trn2,dma.engines=x", bad, "machine 'trn2,dma.engines=x': dma.engines: must be an integer, is 'x'"},
      {"trn2,dma.engines=", bad, "machine 'trn2,dma.engines=': dma.engines: must be an integer, is ''"},
      {"trn2,dma.engines=1.5", bad, "machine 'trn2,dma.engines=1.5': dma.engines: must be an integer, is '1.5'"},
      {"trn2,dma.engines=nan", bad, "machine 'trn2,dma.engines=nan': dma.engines: must be an integer, is 'nan'"},
      {"trn2,host.exec_overhead_ns=-1", bad,
       "machine 'trn2,host.exec_overhead_ns=-1': host.exec_overhead_ns: must be 0 to 10000000000, is -1"},
      {"trn2,dma.start_ps=99999999999999999999", bad,
       "machine 'trn2,dma.start_ps=99999999999999999999': dma.start_ps: '99999999999999999999' does not fit a 64-bit integer"},
      {"trn2,host.overhead_before_percent=101", bad,
       "machine 'trn2,host.overhead_before_percent=101': host.overhead_before_percent: must be 0 to 100, is 101"},
      {"trn2,pe.clock_khz=0", bad, "machine 'trn2,pe.clock_khz=0': pe.clock_khz: must be 1 to 100000000, is 0"},
      {"trn2,vector.perf_modes=1", bad,
       "machine 'trn2,vector.perf_modes=1': vector.perf_modes: must be true or false, is '1'"},
      {"trn2,memory.partitions=64", bad,
       "machine 'trn2,memory.partitions=64': memory.partitions: must be 128, which the instruction set fixes; is 64"},
      {"trn2,dma.engines=4,dma.engines=5", bad, "machine 'trn2,dma.engines=4,dma.engines=5': dma.engines: is given twice"},
      {"trn2,exec_overhead_ns=4,host.exec_overhead_ns=5", bad,
       "machine 'trn2,exec_overhead_ns=4,host.exec_overhead_ns=5': host.exec_overhead_ns: is given twice"},
      {"trn2,dma.descriptor_min_bytes=40000", bad,
       "machine 'trn2,dma.descriptor_min_bytes=40000': dma.descriptor_min_bytes (40000) must not be above "
       "dma.descriptor_max_bytes (32768)"},
  };
  for (const Refused& c : cases) {
    const auto machine = load_machine(c.spec);
    ASSERT_FALSE(machine.ok()) << c.spec;
    EXPECT_EQ(machine.status().code(), c.code) << c.spec;
    EXPECT_EQ(machine.status().message(), c.message);
    EXPECT_FALSE(describe_machine(c.spec).ok());
  }
}

}  // namespace
}  // namespace lanewise::machine
