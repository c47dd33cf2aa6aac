// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Small signs beside a trace's name: simulated, health, what was lost, how far the import is.
import { bytes, count, percent } from "@/base/units";
import type { Trace } from "@/engine/api";

export function Badges({ trace, compact = false }: { trace: Trace; compact?: boolean }) {
  return (
    <span class="badges">
      {trace.state === "importing" && <ImportingBadge trace={trace} />}
      {trace.state === "failed" && (
        <span class="pill bad" title={trace.error ?? ""}>
          not read
        </span>
      )}
      {trace.simulated && (
        <span class="pill accent" title={`Device times are simulated: ${trace.simulated}`}>
          simulated{compact ? "" : ` · ${trace.simulated}`}
        </span>
      )}
      {trace.state === "ready" && <HealthBadge trace={trace} />}
      {trace.state === "ready" && <LedgerBadge trace={trace} />}
    </span>
  );
}

const HEALTH = { good: "good", warnings: "warn", errors: "bad" } as const;
const HEALTH_WORD = { good: "healthy", warnings: "warnings", errors: "problems" } as const;

function HealthBadge({ trace }: { trace: Trace }) {
  return (
    <span class={`pill ${HEALTH[trace.health]}`} title={trace.health_text || "No check of the file found anything."}>
      {HEALTH_WORD[trace.health]}
    </span>
  );
}

// Silent when every event was kept as it was.
function LedgerBadge({ trace }: { trace: Trace }) {
  const { read, kept, repaired, dropped } = trace.ledger;
  if (repaired === 0 && dropped === 0) return null;
  const words = [repaired > 0 ? `${count(repaired)} repaired` : "", dropped > 0 ? `${count(dropped)} dropped` : ""];
  return (
    <span
      class={`pill ${dropped > 0 ? "bad" : "warn"}`}
      title={`${count(read)} events read, ${count(kept)} kept, ${count(repaired)} repaired, ${count(dropped)} dropped`}
    >
      {words.filter((word) => word !== "").join(", ")}
    </span>
  );
}

function ImportingBadge({ trace }: { trace: Trace }) {
  const { done, total, events, mb_per_s, left_s } = trace.progress;
  const share = total > 0 ? done / total : 0;
  const left = left_s === null ? "" : `, about ${Math.ceil(left_s)} s left`;
  return (
    <span
      class="pill accent importing"
      style={{ "--share": `${share * 100}%` }}
      title={`${bytes(done)} of ${bytes(total)} read, ${count(events)} events, ${mb_per_s.toFixed(0)} MB/s${left}`}
    >
      importing {percent(share)}
    </span>
  );
}
