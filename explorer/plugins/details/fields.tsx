// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The fields of an event as the file tells them. Ids of 64 bits come as text and stay text.
import type { ComponentChildren } from "preact";
import { time } from "@/base/units";
import type { EventDetails } from "@/engine/api";

export function Fields({ event }: { event: EventDetails }) {
  const lines: [string, ComponentChildren][] = [
    ["id", event.id],
    ["category", event.category],
    ["start", `${event.start_ns.toLocaleString("en")} ns`],
    ["duration", `${event.dur_ns.toLocaleString("en")} ns`],
    ["end", `${time(event.start_ns + event.dur_ns)}`],
    ["device", event.device],
    ["stream", event.stream],
    ["correlation", event.correlation],
    ["external id", event.external_id],
  ];
  const args = Object.entries(event.args);
  return (
    <>
      <section class="details-part" aria-label="Fields">
        <h3>Fields</h3>
        <dl class="fields">
          {lines.map(([name, value]) =>
            value === null || value === "" ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
          )}
        </dl>
      </section>
      {args.length > 0 && (
        <section class="details-part" aria-label="Arguments">
          <h3>Arguments</h3>
          <dl class="fields">
            {args.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{argument(value)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}

export function argument(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || typeof value !== "object") return String(value);
  return JSON.stringify(value).replaceAll(",", ", ");
}
