// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Markers: places on the axis with a note. Kept by the server (`markers-T`), and as a JSON file that people pass on.
//
//   {"schema": 1, "trace": "T", "origin": "1700000000000000000", "markers": [{"at_ns": 1200, "note": "slow copy"}]}
export interface Marker {
  at: number;
  note: string;
}

export interface MarkersFile {
  schema: 1;
  trace: string;
  origin: string;
  markers: { at_ns: number; note: string }[];
}

const MOST = 1000;

export function markersText(trace: string, origin: string, markers: Marker[]): string {
  const file: MarkersFile = {
    schema: 1,
    trace,
    origin,
    markers: sorted(markers).map((m) => ({ at_ns: m.at, note: m.note })),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

// The markers of a file, or a sentence why not. A file of another trace is moved by the difference of the origins when both are
// numbers: the same moment of the clock stays the same moment.
export function readMarkers(text: string, origin: string): { markers: Marker[] } | { error: string } {
  let file: Partial<MarkersFile>;
  try {
    file = JSON.parse(text);
  } catch {
    return { error: "This is not a JSON file." };
  }
  if (file === null || typeof file !== "object" || file.schema !== 1 || !Array.isArray(file.markers)) {
    return { error: "This is not a file of markers (schema 1)." };
  }
  const shift = originShift(file.origin, origin);
  if (shift === null) return { error: "These markers belong to another clock: their origin cannot be read." };
  const markers: Marker[] = [];
  for (const m of file.markers) {
    if (typeof m?.at_ns !== "number" || !Number.isFinite(m.at_ns)) return { error: "A marker without at_ns." };
    markers.push({ at: m.at_ns + shift, note: typeof m.note === "string" ? m.note : "" });
  }
  if (markers.length > MOST) return { error: `More than ${MOST} markers.` };
  return { markers: sorted(markers) };
}

function originShift(theirs: unknown, ours: string): number | null {
  if (theirs === ours || theirs === undefined) return 0;
  if (typeof theirs !== "string" || !/^-?\d+$/.test(theirs) || !/^-?\d+$/.test(ours)) return null;
  return Number(BigInt(theirs) - BigInt(ours));
}

export function sorted(markers: Marker[]): Marker[] {
  return [...markers].sort((a, b) => a.at - b.at);
}

// Time from the marker before, for each but the first.
export function differences(markers: Marker[]): (number | null)[] {
  return markers.map((m, i) => (i === 0 ? null : m.at - (markers[i - 1] as Marker).at));
}
