// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Who called what: flame graph and call tree of a thread, or of all, in the time that is looked at.
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import type { PageProps } from "@/base/panel";
import { scope, scopeOf } from "@/base/scope";
import { page } from "@/base/view";
import type { FlameRequest, Lane } from "@/engine/api";
import { eventIdText } from "@/engine/frame";
import { opened } from "@/engine/opened";
import { pickEvents } from "@/engine/pick";
import { server } from "@/engine/server";
import { callTree, pathTo } from "@/plugins/flame/call_tree";
import { Flame } from "@/plugins/flame/flame";
import { TreeTable } from "@/plugins/flame/tree_table";
import { ScopeChoice } from "@/widgets/scope_choice";
import { Wait } from "@/widgets/wait";
import "@/plugins/flame/flame.css";

export function FlamePage({ trace }: PageProps) {
  const info = opened.info(trace).value;
  const [lane, setLane] = useState<number | null>(null);
  const [bottomUp, setBottomUp] = useState(false);
  const [kind, setKind] = useState<"flame" | "tree">("flame");
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const lanes = useAnswer((stop) => server.lanes(trace, stop), [trace, info?.trace.state]);
  const threads = (lanes.value ?? []).filter((l) => l.group === "framework" && l.kind === "slices");
  // The busiest thread is what the reader most likely means.
  const chosen = lane ?? busiest(threads)?.id ?? null;
  const span = scopeOf(scope.value);
  const request: FlameRequest = { ...(chosen === null ? {} : { lane: chosen }), ...(span ?? {}), bottom_up: bottomUp };
  const ready = info !== null && info.trace.state === "ready" && !(lanes.loading && lanes.value === null);
  const answer = useAnswer(ready ? (stop) => server.flame(trace, request, stop) : null, [
    trace,
    ready,
    JSON.stringify(request),
  ]);
  return (
    <div class="flame-page">
      <div class="flame-tools">
        <select
          class="field"
          aria-label="Thread"
          value={chosen === null ? "" : String(chosen)}
          onChange={(event) => setLane(Number(event.currentTarget.value))}
        >
          {threads.map((thread) => (
            <option key={thread.id} value={String(thread.id)}>
              {thread.rank === null ? "" : `rank ${thread.rank} · `}
              {thread.title} {thread.subtitle}
            </option>
          ))}
        </select>
        <ScopeChoice />
        <Choice
          label="View"
          now={kind}
          options={[
            ["flame", "Flame graph"],
            ["tree", "Call tree"],
          ]}
          onChoose={(to) => setKind(to as "flame" | "tree")}
        />
        <Choice
          label="Direction"
          now={bottomUp ? "up" : "down"}
          options={[
            ["down", "Top-down"],
            ["up", "Bottom-up"],
          ]}
          onChoose={(to) => setBottomUp(to === "up")}
        />
        <input
          class="field table-filter"
          type="search"
          aria-label="Find in the calls"
          placeholder="Find a name"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      {failure !== null && (
        <p class="notice failed" role="alert">
          {failure}
        </p>
      )}
      <div class="flame-body">
        {info?.trace.state === "importing" ? (
          <p class="notice">The file is still being read. Calls are added up when all of it is there.</p>
        ) : (
          <Wait answer={answer}>
            {(frame) => (
              <Calls
                table={frame.table("nodes")}
                names={info?.names ?? []}
                kind={kind}
                label={bottomUp ? "Callers, bottom-up" : "Calls, top-down"}
                text={text}
                onShow={(id, name) => {
                  setFailure(null);
                  pickEvents(server, trace, id === null ? { name } : { events: [id] }, name).then(
                    () => {
                      page.value = "timeline";
                    },
                    (reason: unknown) => setFailure(reason instanceof Error ? reason.message : String(reason)),
                  );
                }}
              />
            )}
          </Wait>
        )}
      </div>
    </div>
  );
}

function busiest(lanes: readonly Lane[]): Lane | undefined {
  return lanes.reduce<Lane | undefined>((best, lane) => (best && best.sum_ns >= lane.sum_ns ? best : lane), undefined);
}

interface CallsProps {
  table: Parameters<typeof callTree>[0];
  names: readonly string[];
  kind: "flame" | "tree";
  label: string;
  text: string;
  onShow(id: string | null, name: string): void;
}

function Calls({ table, names, kind, label, text, onShow }: CallsProps) {
  const tree = useMemo(() => callTree(table, names), [table, names]);
  const [zoom, setZoom] = useState<{ tree: typeof tree; node: number }>({ tree, node: -1 });
  const zoomed = zoom.tree === tree ? zoom.node : -1;
  if (tree.count === 0) return <p class="notice">Nothing ran on this thread in this time.</p>;
  const show = (node: number) => {
    const event = tree.event[node];
    onShow(event === undefined || Number.isNaN(event) ? null : eventIdText(event), tree.name(node));
  };
  if (kind === "tree") return <TreeTable tree={tree} label={label} search={text} onShow={show} />;
  return (
    <>
      <nav class="crumbs" aria-label="Zoom">
        <button type="button" class="link" onClick={() => setZoom({ tree, node: -1 })}>
          all
        </button>
        {(zoomed < 0 ? [] : pathTo(tree, zoomed)).map((node) => (
          <button key={node} type="button" class="link clip" onClick={() => setZoom({ tree, node })}>
            {tree.name(node)}
          </button>
        ))}
        {zoomed >= 0 && (
          <button type="button" class="button small" onClick={() => show(zoomed)}>
            Show on the timeline
          </button>
        )}
      </nav>
      <Flame tree={tree} zoomed={zoomed} search={text} onZoom={(node) => setZoom({ tree, node })} onShow={show} />
    </>
  );
}

interface ChoiceProps {
  label: string;
  now: string;
  options: [string, string][];
  onChoose(id: string): void;
}

function Choice({ label, now, options, onChoose }: ChoiceProps) {
  return (
    <fieldset class="choice" aria-label={label}>
      {options.map(([id, title]) => (
        <button key={id} type="button" class="choice-option" aria-pressed={id === now} onClick={() => onChoose(id)}>
          {title}
        </button>
      ))}
    </fieldset>
  );
}
