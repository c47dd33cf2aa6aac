// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The frame of the page: top bar, the page in front, and what lies above it (palette, help).
import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { AlignedTimelines } from "@/app/aligned_timelines";

import { Help } from "@/app/help";
import { HomePage } from "@/app/home/home";
import { globalKey } from "@/app/keys";
import { kindOf } from "@/app/kind";
import { pageOf, pagesOf } from "@/app/pages";
import { Palette } from "@/app/palette";
import { TopBar } from "@/app/topbar";
import { bringToFront } from "@/base/front";
import { SESSION_TICK, tickPs } from "@/base/time";
import { page, traceIds } from "@/base/view";
import { opened } from "@/engine/opened";
import { server } from "@/engine/server";
import { Timeline } from "@/timeline/timeline";
import { Guard } from "@/widgets/guard";
import { Refused } from "@/widgets/wait";

export type Above = "palette" | "help" | null;

export function Shell() {
  const above = useSignal<Above>(null);
  const searchBox = useSignal<HTMLInputElement | null>(null);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const done = globalKey(event, {
        search: () => searchBox.value?.focus(),
        above: (what) => {
          above.value = above.value === what ? null : what;
        },
      });
      if (!done) return;
      event.preventDefault();
      event.stopPropagation();
    };
    // Before the timeline, which has an S of its own: `g s` is a page.
    addEventListener("keydown", key, { capture: true });
    return () => removeEventListener("keydown", key, { capture: true });
  }, [above, searchBox]);

  const trace = traceIds.value[0];
  const kind = kindOf(trace);
  const asked = pageOf(page.value);
  // A page that this kind of trace does not have: the address may be typed by hand.
  const front = asked && kind && !pagesOf(kind).includes(asked) ? pageOf("timeline") : asked;
  const broken = opened.home.value?.traces.find((t) => t.id === trace && t.state === "failed");
  const unknown =
    trace !== undefined && opened.home.value !== null && !opened.home.value.traces.some((t) => t.id === trace);
  const title = front && (trace !== undefined || front.free) ? front.title : "Home";
  const info = trace === undefined ? null : opened.info(trace).value;
  // Times below are formatted by it, so it is set before they are rendered.
  const tick = info?.trace.tick_ps ?? SESSION_TICK;
  if (tickPs.peek() !== tick) tickPs.value = tick;
  useEffect(() => {
    document.title = info ? `${info.trace.name} · ${title} · Lanewise` : `${title} · Lanewise`;
  }, [info, title]);

  return (
    <div class="shell">
      <TopBar
        onPalette={() => {
          above.value = "palette";
        }}
        onHelp={() => {
          above.value = "help";
        }}
        searchBox={searchBox}
      />
      <main class="shell-main" id="page-panel">
        <h1 class="unseen">{title}</h1>
        <Guard about={`${page.value} ${trace}`}>
          {broken && front ? (
            <NotRead name={broken.name} reason={broken.error ?? ""} />
          ) : unknown && front ? (
            <NotOpen id={trace ?? ""} />
          ) : trace === undefined || !front ? (
            <HomePage />
          ) : (
            <front.Component
              key={front.id === "compare" ? "compare" : `${trace} ${tick}`}
              trace={trace}
              Timeline={Timeline}
              Aligned={AlignedTimelines}
            />
          )}
        </Guard>
      </main>
      {opened.trouble.value !== null && (
        <div class="shell-trouble">
          <Refused text={opened.trouble.value} again={() => void opened.refresh()} />
        </div>
      )}
      {above.value === "palette" && (
        <Palette
          onClose={() => {
            above.value = null;
          }}
          onHelp={() => {
            above.value = "help";
          }}
          onSearch={() => searchBox.value?.focus()}
        />
      )}
      {above.value === "help" && (
        <Help
          onClose={() => {
            above.value = null;
          }}
        />
      )}
    </div>
  );
}

// The address names a trace that this server does not hold (any more).
function NotOpen({ id }: { id: string }) {
  const known = opened.home.value?.recent.find((entry) => entry.id === id);
  const [failure, setFailure] = useState<string | null>(null);
  const again = async (path: string) => {
    try {
      const trace = await server.open(path);
      opened.add(trace);
      await opened.refresh();
      bringToFront(trace.id, page.value);
    } catch (reason) {
      setFailure(reason instanceof Error ? reason.message : String(reason));
    }
  };
  return (
    <div class="not-read" role="alert">
      <h2>This trace is not open here</h2>
      <p class="muted">
        {failure ??
          (known
            ? `${known.path} was open before.`
            : "The link is of another server, or the trace was closed. Open its file again, and the link works.")}
      </p>
      {known && (
        <button type="button" class="button primary" onClick={() => void again(known.path)}>
          Open {known.name}
        </button>
      )}
      <button
        type="button"
        class="button"
        onClick={() => {
          traceIds.value = traceIds.value.filter((other) => other !== id);
          page.value = "home";
        }}
      >
        Home
      </button>
    </div>
  );
}

function NotRead({ name, reason }: { name: string; reason: string }) {
  return (
    <div class="not-read" role="alert">
      <h2>{name} cannot be read</h2>
      <p class="muted">{reason}</p>
      <button
        type="button"
        class="button"
        onClick={() => {
          page.value = "home";
        }}
      >
        Open another …
      </button>
    </div>
  );
}
