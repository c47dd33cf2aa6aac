// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Python and instructions, both ways: the lines that launched this program (of the launch in the system trace), and the ATen node of this
// run with everything that it became.
import { useState } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import { launch } from "@/base/view";
import type { EventDetails, Where } from "@/engine/api";
import { pickEvents } from "@/engine/pick";
import { server } from "@/engine/server";
import { SourceLines } from "@/plugins/details/source";

export function LaunchSource({ trace, event }: { trace: string; event: EventDetails }) {
  const from = launch.value;
  const answer = useAnswer(from ? (stop) => server.event(from.trace, from.execution, stop) : null, [
    from?.trace,
    from?.execution,
  ]);
  const of = (event.args.ordered_by ?? event.args) as Record<string, unknown>;
  const node = typeof of.aten_node === "string" ? of.aten_node : null;
  const op = typeof of.ir_op === "string" ? of.ir_op : null;
  const modules = (answer.value?.stack ?? []).flatMap((frame) => {
    const found = /^nn\.Module: (.+)$/.exec(frame.name);
    return found?.[1] ? [found[1].replace(/_\d+$/, "")] : [];
  });
  return (
    <>
      {node !== null && (
        <section class="details-part" aria-label="Where it comes from">
          <h3>Where it comes from</h3>
          <dl class="fields">
            <div>
              <dt>ATen node</dt>
              <dd>{node}</dd>
            </div>
            {op !== null && (
              <div>
                <dt>IR op</dt>
                <dd>{op}</dd>
              </div>
            )}
            {modules.length > 0 && (
              <div>
                <dt>module</dt>
                <dd>{modules.reverse().join(" › ")}</dd>
              </div>
            )}
          </dl>
          <All trace={trace} where={{ aten_node: node, with_dmas: true }} text={node}>
            All instructions of this node
          </All>
        </section>
      )}
      {from && answer.value && answer.value.stack.length > 0 && (
        <>
          <SourceLines trace={from.trace} stack={answer.value.stack} />
          <section class="details-part">
            <All trace={trace} where={{ with_dmas: true }} text={from.program}>
              All instructions of this line
            </All>
          </section>
        </>
      )}
      {from === null && (
        <p class="details-part muted small">
          This profile was opened by itself. Opened from a launch in a capture folder it shows the Python lines too.
        </p>
      )}
    </>
  );
}

function All({ trace, where, text, children }: { trace: string; where: Where; text: string; children: string }) {
  const [failure, setFailure] = useState<string | null>(null);
  return (
    <>
      <button
        type="button"
        class="button small"
        onClick={() => {
          setFailure(null);
          pickEvents(server, trace, { where }, text).catch((reason: unknown) =>
            setFailure(reason instanceof Error ? reason.message : String(reason)),
          );
        }}
      >
        {children}
      </button>
      {failure !== null && (
        <p class="details-refused" role="alert">
          {failure}
        </p>
      )}
    </>
  );
}
