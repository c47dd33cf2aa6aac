// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One page that answers the first questions: where the wall time went, what to change, and how far to trust the file.

import type { PageProps } from "@/base/panel";
import { opened } from "@/engine/opened";
import { Devices } from "@/plugins/summary/devices";
import { Findings } from "@/plugins/summary/findings";
import { StepBars } from "@/plugins/summary/steps";
import { TopOperators } from "@/plugins/summary/top_operators";
import { Trust } from "@/plugins/summary/trust";
import "@/plugins/summary/summary.css";
import "@/widgets/css/cards.css";

export function SummaryPage({ trace }: PageProps) {
  const info = opened.info(trace).value;
  if (!info) return <p class="notice">Asking …</p>;
  const t = info.trace;
  if (t.state === "importing") {
    return <p class="notice">The file is still being read. The summary comes when all of it is there.</p>;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
    <div class="summary" role="region" aria-label="Summary" tabIndex={0}>
      <div class="summary-inner">
        <header class="summary-head">
          <h2>{t.name}</h2>
          <p class="muted">{t.path}</p>
        </header>
        <Devices trace={trace} simulated={t.simulated} />
        <Findings trace={trace} />
        <StepBars trace={trace} />
        <TopOperators trace={trace} />
        <Trust info={info} />
      </div>
    </div>
  );
}
