// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The server's curve of all devices as one curve each.
import { cell, type FrameTable } from "@/engine/frame";

export interface Curve {
  device: string;
  at: number[];
  allocated: number[];
  reserved: number[];
  mostReserved: number;
}

export function curvesOf(table: FrameTable): Curve[] {
  const found = new Map<string, Curve>();
  const device = table.column("device");
  const at = table.column("at_ns").values;
  const allocated = table.column("allocated").values;
  const reserved = table.column("reserved").values;
  for (let row = 0; row < table.rows; row++) {
    const name = String(cell(device, row) ?? "device");
    let curve = found.get(name);
    if (!curve) {
      curve = { device: name, at: [], allocated: [], reserved: [], mostReserved: 0 };
      found.set(name, curve);
    }
    curve.at.push(at[row] ?? 0);
    curve.allocated.push(allocated[row] ?? 0);
    const held = reserved[row] ?? 0;
    curve.reserved.push(held);
    if (held > curve.mostReserved) curve.mostReserved = held;
  }
  return [...found.values()];
}

export function peakOf(curve: Curve): { bytes: number; at: number } {
  let best = 0;
  for (let i = 1; i < curve.allocated.length; i++) {
    if ((curve.allocated[i] ?? 0) > (curve.allocated[best] ?? 0)) best = i;
  }
  return { bytes: curve.allocated[best] ?? 0, at: curve.at[best] ?? 0 };
}
