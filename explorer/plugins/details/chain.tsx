// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The way of a launch, framework first: what asked for what, how the tie is known, and the time between. Arrow keys walk it.
import { useRef } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import { time } from "@/base/units";
import { focus, selection } from "@/base/view";
import type { ChainStep, EventId } from "@/engine/api";
import { showSpan } from "@/engine/pick";
import { server } from "@/engine/server";

const ROLE: Record<string, string> = {
  python: "Python",
  forward_op: "Forward operator",
  op: "Operator",
  call: "Runtime call",
  device: "Device",
  runtime_trace: "Runtime, as the system trace has it",
  hardware: "Hardware, as the system trace has it",
};

export function ChainList({ trace, event }: { trace: string; event: EventId }) {
  const answer = useAnswer((stop) => server.chain(trace, event, stop), [trace, event]);
  const list = useRef<HTMLOListElement>(null);
  const chain = answer.value;
  if (!chain || chain.steps.length < 2) {
    return answer.error && answer.status !== 404 ? <p class="details-part muted">{answer.error}</p> : null;
  }
  const go = (step: ChainStep | undefined) => {
    if (!step?.event) return;
    focus.value = step.event.id;
    selection.value = { events: [step.event.id], token: 0, text: step.name };
    showSpan({ from: step.start_ns, to: step.start_ns + step.dur_ns }, step.event.lane);
  };
  const key = (pressed: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[pressed.key];
    if (by === undefined) return;
    pressed.preventDefault();
    pressed.stopPropagation();
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>("button") ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    buttons[Math.max(0, Math.min(buttons.length - 1, at + by))]?.focus();
  };
  return (
    <section class="details-part" aria-label="Dependency chain">
      <h3>From the framework to the hardware</h3>
      <ol class="chain" ref={list} onKeyDown={key}>
        {chain.steps.map((step, i) => (
          <li key={`${step.role}${step.event?.id ?? i}`} class={step.event?.id === event ? "now" : ""}>
            <button
              type="button"
              class="chain-step"
              aria-current={step.event?.id === event ? "step" : undefined}
              disabled={step.event === null}
              onClick={() => go(step)}
            >
              <span class="chain-role">{ROLE[step.role] ?? step.role}</span>
              <span class="chain-name clip" title={step.name}>
                {step.name}
              </span>
              <span class="chain-time">{time(step.dur_ns)}</span>
            </button>
            {i + 1 < chain.steps.length && <span class="chain-after">{tie(step, chain.steps[i + 1])}</span>}
          </li>
        ))}
      </ol>
      {chain.arrows_total > chain.arrows.length && (
        <p class="muted small">
          {chain.arrows.length} of {chain.arrows_total} arrows are drawn.
        </p>
      )}
    </section>
  );
}

// What stands between a step and the one that it asked for.
function tie(step: ChainStep, next: ChainStep | undefined): string {
  const parts = next?.after_ns == null ? [] : [after(next.after_ns)];
  if (step.method) parts.push(`by ${step.method.replaceAll("_", " ")}${sure(step.confidence)}`);
  return parts.join(" · ");
}

function after(ns: number): string {
  return ns >= 0 ? `${time(ns)} later` : `${time(-ns)} earlier`;
}

function sure(confidence: ChainStep["confidence"]): string {
  if (confidence === null || confidence === "") return "";
  if (confidence === 1) return "";
  return typeof confidence === "number" ? `, ${Math.round(confidence * 100)} % sure` : `, ${confidence}`;
}
