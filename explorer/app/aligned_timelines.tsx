// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Timelines below each other that move together: the zero of each is the moment that the comparison found to be the same. The
// first one has the page's own selection, so details and tables speak of it.
import { useMemo } from "preact/hooks";
import type { AlignedProps } from "@/base/panel";
import { time } from "@/base/units";
import { search } from "@/base/view";
import { opened } from "@/engine/opened";
import { ownSignals } from "@/timeline/core";
import { AlignedViews } from "@/timeline/link";
import { Timeline } from "@/timeline/timeline";
import "@/app/style/aligned.css";

export function AlignedTimelines({ traces }: AlignedProps) {
  const key = traces.map((trace) => `${trace.id} ${trace.zero}`).join();
  const views = useMemo(() => {
    const aligned = new AlignedViews();
    return traces.map(({ id, zero }, i) => ({
      id,
      zero,
      link: aligned.member(zero),
      own: i === 0 ? null : { ...ownSignals(), search },
    }));
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
