// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of the open traces are compared, and with which of them.
import { traceIds } from "@/base/view";
import { opened } from "@/engine/opened";
import { Menu } from "@/widgets/menu";

export function TraceChoice() {
  const all = (opened.home.value?.traces ?? []).filter((trace) => trace.state !== "failed");
  const chosen = traceIds.value;
  return (
    <Menu label="Traces …" title="Which traces are compared" className="button">
      {() => (
        <fieldset class="column-choice">
          <legend>Compared, in this order</legend>
          {all.map((trace) => (
            <div key={trace.id} class="compare-choice">
              <label title={trace.path}>
                <input
                  type="checkbox"
                  checked={chosen.includes(trace.id)}
                  disabled={chosen.length === 1 && chosen[0] === trace.id}
                  onChange={(event) => {
                    traceIds.value = event.currentTarget.checked
                      ? [...chosen, trace.id]
                      : chosen.filter((id) => id !== trace.id);
                  }}
                />
                <span class="clip">{trace.path.split("/").slice(-4).join("/")}</span>
              </label>
              {chosen.includes(trace.id) && chosen[0] !== trace.id && (
                <button
                  type="button"
                  class="button quiet small"
                  onClick={() => {
                    traceIds.value = [trace.id, ...chosen.filter((id) => id !== trace.id)];
                  }}
                >
                  First
                </button>
              )}
            </div>
          ))}
        </fieldset>
      )}
    </Menu>
  );
}
