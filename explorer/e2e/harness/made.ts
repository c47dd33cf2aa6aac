// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes with about as many slices as asked, shaped like a training step: ops with nested calls, launches, kernels, gaps.
import { type FakeLane, FakeServer, type FakeSlice } from "@/engine/fake_server";

const OPS = ["aten::mul", "aten::add", "aten::mm", "aten::layer_norm", "aten::softmax", "aten::copy_", "aten::linear"];
const KERNELS = ["ampere_sgemm_128x64_tn", "vectorized_elementwise_kernel", "softmax_warp_forward", "Memcpy HtoD"];
const CAUSES = ["host_busy", "launch_latency", "synchronize", "copy_wait"];

export function madeServer(slices: number): FakeServer {
  const steps = 4;
  const perStep = Math.max(4, Math.round(slices / 8 / steps));
  const ops: FakeSlice[][] = [[], [], []];
  const runtime: FakeSlice[] = [];
  const kernels: FakeSlice[] = [];
  const gaps: FakeSlice[] = [];
  const marks: { number: number; from: number; to: number; part: number }[] = [];
  let seed = 7;
  const next = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 4294967296;
  };
  let at = 0;
  let device = 0;
  for (let step = 0; step < steps; step++) {
    const from = at;
    for (let i = 0; i < perStep; i++) {
      const name = OPS[Math.floor(next() * OPS.length)] as string;
      const dur = 4000 + Math.floor(next() ** 3 * 90000);
      ops[0]?.push({ start: at, dur, name });
      ops[1]?.push({ start: at + dur * 0.1, dur: dur * 0.6, name: `${name}_inner` });
      ops[2]?.push({ start: at + dur * 0.2, dur: dur * 0.3, name: "cudaLaunchKernel" });
      runtime.push({ start: at + dur * 0.2, dur: dur * 0.3, name: "cudaLaunchKernel" });
      const start = Math.max(device, at + dur * 0.5 + 2000);
      const cause = CAUSES[Math.floor(next() * CAUSES.length)] as string;
      if (start > device) gaps.push({ start: device, dur: start - device, name: cause });
      const length = 2000 + Math.floor(next() ** 2 * 60000);
      const overhead = i % 5 === 0 ? { before: length * 0.3, after: length * 0.1 } : {};
      kernels.push({ start, dur: length, name: KERNELS[Math.floor(next() * KERNELS.length)] as string, ...overhead });
      device = start + length;
      at += dur + Math.floor(next() ** 4 * 50000);
    }
    marks.push({ number: step, from, to: at, part: 0 });
    at += 30000;
  }
  const lanes: FakeLane[] = [
    { title: "thread 4711", subtitle: "python", group: "framework", slices: ops },
    { title: "thread 4712", subtitle: "autograd", group: "framework", slices: [runtime.slice(0, perStep)] },
    { title: "runtime", subtitle: "thread 4711", group: "runtime", slices: [runtime] },
    { title: "stream 7", subtitle: "device 0", group: "hardware", device: "0", slices: [kernels] },
    { title: "idle", subtitle: "device 0", group: "hardware", device: "0", kind: "gaps", slices: [gaps] },
  ];
  return new FakeServer(lanes, { steps: marks });
}
