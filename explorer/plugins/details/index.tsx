// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything about the event in front: its fields, its chain from the framework to the hardware, its source.
import { useAnswer } from "@/base/answer";
import { count, time } from "@/base/units";
import { focus, range, selection } from "@/base/view";
import type { EventDetails } from "@/engine/api";
import { opened } from "@/engine/opened";
import { showSpan } from "@/engine/pick";
import { isReport, server } from "@/engine/server";
import { ChainList } from "@/plugins/details/chain";
import { Fields } from "@/plugins/details/fields";
import { LaunchSource } from "@/plugins/details/launch_source";
import { Neighbours } from "@/plugins/details/neighbours";
import { RunFields } from "@/plugins/details/run_fields";
import { SourceLines } from "@/plugins/details/source";
import { ToDevice } from "@/plugins/details/to_device";
import { copyText } from "@/widgets/clipboard";
import { Menu } from "@/widgets/menu";
import { Wait } from "@/widgets/wait";
import "@/plugins/details/details.css";

export function Details({ trace }: { trace: string }) {
  const id = focus.value;
  const answer = useAnswer(id === null ? null : (stop) => server.event(trace, id, stop), [trace, id]);
  return (
    <aside class="details" aria-label="Details">
      {id === null ? (
        <Nothing />
      ) : (
        <Wait answer={answer}>{(event) => <Event key={event.id} trace={trace} event={event} />}</Wait>
      )}
    </aside>
  );
}

function Nothing() {
  const chosen = selection.value.text;
  return (
    <div class="details-none">
      {chosen !== "" && <p>{chosen}</p>}
      <p class="muted">
        Choose an event on the timeline or a row of a table: its fields, its source and its way from PyTorch to the
        hardware stand here.
      </p>
    </div>
  );
}

function Event({ trace, event }: { trace: string; event: EventDetails }) {
  const about = opened.info(trace).value?.trace;
  const simulated = about?.simulated ?? null;
  const ofDevice = about?.kind === "device";
  const span = { from: event.start_ns, to: event.start_ns + event.dur_ns };
  // Device rows of a simulated capture hold the model's time; host rows are measured.
  const modelled = simulated !== null && event.device !== null;
  return (
    <>
      <header class="details-head">
        <div class="details-signs">
          <span class="pill">{roleOf(event)}</span>
          {event.step !== null && <span class="pill">step {event.step}</span>}
          {modelled && (
            <span class="pill accent" title={simulated}>
              simulated time
            </span>
          )}
          {event.flags.map((flag) => (
            <span key={flag} class="pill warn">
              {flag}
            </span>
          ))}
          <span class="spring" />
          <Actions trace={trace} event={event} />
        </div>
        <h2 class="details-name">{event.name}</h2>
        <p class="details-times">
          <strong>{time(event.dur_ns)}</strong>
          <span class="muted"> from {time(event.start_ns)}</span>
        </p>
        <div class="details-buttons">
          <button type="button" class="button small" onClick={() => showSpan(span, event.lane)}>
            Zoom to it
          </button>
          {!ofDevice && (
            <button
              type="button"
              class="button small"
              disabled={event.dur_ns <= 0}
              onClick={() => {
                range.value = span;
              }}
            >
              Limit tables to it
            </button>
          )}
          {event.execution && !isReport && <ToDevice trace={trace} event={event.id} />}
        </div>
      </header>
      {ofDevice ? (
        <>
          <Neighbours trace={trace} event={event.id} />
          <RunFields event={event} />
          <LaunchSource trace={trace} event={event} />
        </>
      ) : (
        <>
          <ChainList trace={trace} event={event.id} />
          <Fields event={event} />
          <SourceLines trace={trace} stack={event.stack} />
        </>
      )}
    </>
  );
}

// Roles are of sessions; a run of a device profile says by its category what it is.
function roleOf(event: EventDetails): string {
  const known = event.role !== "" && event.role !== "other";
  return (known ? event.role : event.category || event.role).replaceAll("_", " ");
}

function Actions({ trace, event }: { trace: string; event: EventDetails }) {
  return (
    <Menu title="More" label="⋯" className="button quiet small">
      {(close) => (
        <>
          <button
            type="button"
            class="item"
            onClick={() => {
              void copyText(event.json);
              close();
            }}
          >
            Copy as JSON
          </button>
          <button
            type="button"
            class="item"
            onClick={() => {
              void copyText(event.id);
              close();
            }}
          >
            Copy the id ({event.id})
          </button>
          {!isReport && opened.info(trace).value?.trace.kind !== "device" && (
            <a class="item" href={server.exportAddress(trace, "perfetto")} download="" onClick={close}>
              Save for Perfetto
            </a>
          )}
          <p class="details-place muted">
            {count(event.file_length)} bytes at byte {count(event.file_offset)} of the file
          </p>
        </>
      )}
    </Menu>
  );
}
