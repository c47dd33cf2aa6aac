// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run had to wait for, and who had to wait for it: the ties that the arrows draw, with their times.
import { useAnswer } from "@/base/answer";
import { time } from "@/base/units";
import { focus, selection } from "@/base/view";
import type { ChainStep, EventId } from "@/engine/api";
import { showSpan } from "@/engine/pick";
import { server } from "@/engine/server";

const BEFORE: Record<string, string> = {
  semaphore: "set the semaphore",
  trigger: "ordered it",
  queue: "before it in the queue",
  engine: "before it on the engine",
};
const AFTER: Record<string, string> = {
  semaphore: "waited for its semaphore",
  trigger: "was ordered by it",
  queue: "next in the queue",
  engine: "next on the engine",
};

export function Neighbours({ trace, event }: { trace: string; event: EventId }) {
  const answer = useAnswer((stop) => server.chain(trace, event, stop), [trace, event]);
  const chain = answer.value;
  if (!chain) return answer.error ? <p class="details-part muted">{answer.error}</p> : null;
  const before = chain.steps.filter((step) => step.role.startsWith("before_"));
  const after = chain.steps.filter((step) => step.role.startsWith("after_"));
  const missing = chain.arrows_total - before.length - after.length;
  return (
    <section class="details-part" aria-label="Dependencies">
      <h3>What it waited for</h3>
      {before.length === 0 && <p class="muted small">Nothing that the profile records.</p>}
      <List steps={before} words={BEFORE} />
      <h3>Who waited for it</h3>
      {after.length === 0 && <p class="muted small">Nobody that the profile records.</p>}
      <List steps={after} words={AFTER} />
      {missing > 0 && <p class="muted small">{missing} more are not listed.</p>}
    </section>
  );
}

function List({ steps, words }: { steps: readonly ChainStep[]; words: Record<string, string> }) {
  if (steps.length === 0) return null;
  return (
    <ol class="chain">
      {steps.map((step, i) => {
        const kind = step.role.replace(/^(before|after)_/, "");
        const text = step.text ? `${words[kind] ?? kind} · ${step.text}` : (words[kind] ?? kind);
        return (
          <li key={`${step.role}${step.event?.id ?? i}`}>
            <button
              type="button"
              class="chain-step"
              disabled={step.event === null}
              onClick={() => {
                if (!step.event) return;
                focus.value = step.event.id;
                selection.value = { events: [step.event.id], token: 0, text: step.name };
                showSpan({ from: step.start_ns, to: step.start_ns + step.dur_ns }, step.event.lane);
              }}
            >
              <span class="chain-role">{text}</span>
              <span class="chain-name clip" title={step.name}>
                {step.name}
              </span>
              <span class="chain-time">{time(step.dur_ns)}</span>
            </button>
            {step.after_ns !== null && <span class="chain-after">{tie(step.after_ns)}</span>}
          </li>
        );
      })}
    </ol>
  );
}

// From the moment that let the later one go on until it began.
function tie(ticks: number): string {
  return ticks <= 0 ? "at once" : `${time(ticks)} until it began`;
}
