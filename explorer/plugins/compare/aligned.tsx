// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The timelines of all sides below each other, their zero at the anchors that the server found: the first common step, else the
// first launch.
import type { ComponentType } from "preact";
import type { Frame } from "@/engine/frame";
import { opened } from "@/engine/opened";
import { titleOf } from "@/engine/trace_title";

interface AlignedProps {
  frame: Frame;
  ids: readonly string[];
  Timeline: ComponentType<{ trace: string }>;
}

export function Aligned({ frame, ids, Timeline }: AlignedProps) {
  const anchors = (frame.members.anchors ?? []) as { id: string; origin_ns: number }[];
  return (
    <div class="aligned">
      {ids.map((id) => (
        <section key={id} class="aligned-one" aria-label={`Timeline of ${nameOf(id)}`}>
          <header class="aligned-head">
            <span class="clip">{nameOf(id)}</span>
            <span class="muted">zero at {anchors.find((anchor) => anchor.id === id)?.origin_ns ?? 0} ns</span>
          </header>
          <Timeline trace={id} />
        </section>
      ))}
    </div>
  );
}

function nameOf(id: string): string {
  const info = opened.info(id).value;
  return info ? titleOf(info.trace) : id;
}
