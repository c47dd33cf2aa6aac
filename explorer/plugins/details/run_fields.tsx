// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the profile tells of one run: the instruction as text, operands, semaphores, amounts.
import { count, timeOfPs } from "@/base/units";
import type { EventDetails } from "@/engine/api";

const TITLES: Record<string, string> = {
  ir_op: "IR op",
  aten_node: "ATen node",
  flops: "FLOPs",
  gb_per_s: "GB/s",
  dma_engine: "DMA engine",
  index: "#",
};
// Shown in a way of their own.
const APART = new Set([
  "instruction",
  "operands",
  "waits",
  "updates",
  "ordered_by",
  "source_node",
  "module",
  "module_class",
  "backward",
]);

export function RunFields({ event }: { event: EventDetails }) {
  const { args } = event;
  const plain = Object.entries(args).filter(([name]) => !APART.has(name));
  const ordered = args.ordered_by as Record<string, unknown> | undefined;
  return (
    <section class="details-part" aria-label="Instruction">
      <h3>{typeof args.instruction === "string" ? "Instruction" : "Run"}</h3>
      {typeof args.instruction === "string" && <pre class="run-text">{args.instruction}</pre>}
      <Texts title="Operands" list={args.operands} />
      <Texts title="Waits for" list={args.waits} />
      <Texts title="Updates" list={args.updates} />
      <dl class="fields">
        {plain.map(([name, value]) => (
          <div key={name}>
            <dt>{TITLES[name] ?? name.replace(/_ps$/, "").replaceAll("_", " ")}</dt>
            <dd>{shown(name, value)}</dd>
          </div>
        ))}
        <div>
          <dt>begin</dt>
          <dd>{count(event.start_ns)} ps</dd>
        </div>
        <div>
          <dt>duration</dt>
          <dd>{count(event.dur_ns)} ps</dd>
        </div>
        <div>
          <dt>device</dt>
          <dd>{event.device}</dd>
        </div>
      </dl>
      {ordered && (
        <>
          <h3>Ordered by</h3>
          <pre class="run-text">{String(ordered.instruction ?? ordered.opcode ?? "")}</pre>
          <p class="muted small">
            {[`${ordered.engine}[${ordered.index}]`, ordered.ir_op, ordered.aten_node].filter(Boolean).join(" · ")}
          </p>
        </>
      )}
    </section>
  );
}

function Texts({ title, list }: { title: string; list: unknown }) {
  if (!Array.isArray(list) || list.length === 0) return null;
  return (
    <>
      <h4 class="run-title">{title}</h4>
      <ul class="run-list">
        {list.map((text) => (
          <li key={String(text)}>{String(text)}</li>
        ))}
      </ul>
    </>
  );
}

function shown(name: string, value: unknown): string {
  if (typeof value === "number" && name.endsWith("_ps")) return timeOfPs(value);
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : value.toFixed(3);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value !== null && typeof value === "object" ? JSON.stringify(value) : String(value);
}
