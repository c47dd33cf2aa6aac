// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Timelines below each other that move together: the zero of each is the moment that the comparison found to be the same. The
// first one has the page's own selection, so details and tables speak of it.
import { useMemo } from "preact/hooks";
import type { AlignedProps } from "@/base/panel";
import { time } from "@/base/units";
import { type Span, search, visible } from "@/base/view";
import { opened } from "@/engine/opened";
import { ownSignals } from "@/timeline/core";
import { AlignedViews } from "@/timeline/link";
import { Timeline } from "@/timeline/timeline";
import "@/app/style/aligned.css";

export function AlignedTimelines({ traces }: AlignedProps) {
  const key = traces.map((trace) => `${trace.id} ${trace.zero}`).join();
  const views = useMemo(() => {
    const aligned = new AlignedViews();
    const all = spanOf(traces);
    return traces.map(({ id, zero }, i) => {
      const at = all && { from: all.from + zero, to: all.to + zero };
      if (i === 0) {
        // A span that the address gave stays; the others come along with the first move.
        if (at && visible.value.to <= 1) visible.value = at;
        return { id, zero, link: aligned.member(zero), own: null };
      }
      const own = { ...ownSignals(), search };
      const first = visible.value.to > 1 ? visible.value : null;
      const zeroOfFirst = traces[0]?.zero ?? 0;
      if (first) own.visible.value = { from: first.from - zeroOfFirst + zero, to: first.to - zeroOfFirst + zero };
      return { id, zero, link: aligned.member(zero), own };
    });
  }, [key]);
  return (
    <div class="aligned">
      {views.map(({ id, zero, link, own }) => (
        <section key={id} class="aligned-one" aria-label={`Timeline of ${nameOf(id)}`}>
          <header class="aligned-head">
            <strong class="clip">{nameOf(id)}</strong>
            <span class="muted">aligned at {time(zero)}</span>
          </header>
          <div class="aligned-timeline">
            <Timeline trace={id} link={link} {...(own ? { signals: own } : {})} />
          </div>
        </section>
      ))}
    </div>
  );
}

function nameOf(id: string): string {
  const info = opened.info(id).value;
  return info ? info.trace.name : id;
}

// The same piece of time for each, counted from their zeros, so that lengths compare by eye: the longest step with a little room,
// else from the earliest begin to the latest end of all.
function spanOf(traces: AlignedProps["traces"]): Span | null {
  const longest = Math.max(...traces.map((trace) => trace.length));
  if (longest > 0) return { from: -0.04 * longest, to: 1.08 * longest };
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { id, zero } of traces) {
    const info = opened.info(id).value;
    if (!info) return null;
    from = Math.min(from, info.begin - zero);
    to = Math.max(to, info.end - zero);
  }
  return to > from ? { from, to } : null;
}
