// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The way from a launch in the system trace to the device profile of its program.
import { useState } from "preact/hooks";
import type { EventId } from "@/engine/api";
import { openDevice } from "@/engine/device";
import { opened } from "@/engine/opened";
import { server } from "@/engine/server";

export function ToDevice({ trace, event }: { trace: string; event: EventId }) {
  const [failure, setFailure] = useState<string | null>(null);
  const [going, setGoing] = useState(false);
  return (
    <>
      <button
        type="button"
        class="button small primary"
        disabled={going}
        title="What the engines did in this execution, instruction by instruction"
        onClick={() => {
          setFailure(null);
          setGoing(true);
          openDevice(server, opened, trace, event)
            .catch((reason: unknown) => setFailure(reason instanceof Error ? reason.message : String(reason)))
            .finally(() => setGoing(false));
        }}
      >
        Open the device profile
      </button>
      {failure !== null && (
        <p class="details-refused" role="alert">
          {failure}
        </p>
      )}
    </>
  );
}
