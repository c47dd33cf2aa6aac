// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a trace is opened: what is open, what was, a path, files dropped on the page, folders, the sample.
import { useState } from "preact/hooks";
import { Badges } from "@/app/badges";
import { closeTrace, compareThese } from "@/app/front";
import { FolderList } from "@/app/home/folder";
import { Drop, Uploads, uploads } from "@/app/home/upload";
import { openStudy } from "@/app/start";
import { bringToFront } from "@/base/front";
import { bytes, count } from "@/base/units";
import type { Trace } from "@/engine/api";
import { opened } from "@/engine/opened";
import { server } from "@/engine/server";
import { CloseIcon } from "@/widgets/icons";

export function HomePage() {
  const home = opened.home.value;
  const [path, setPath] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [folder, setFolder] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string[]>([]);

  const open = async (what: string) => {
    setFailure(null);
    try {
      const trace = await server.open(what);
      opened.add(trace);
      bringToFront(trace.id);
      await opened.refresh();
    } catch (reason) {
      setFailure(reason instanceof Error ? reason.message : String(reason));
    }
  };
  // What is typed may be a folder of many traces: it is looked into first. A capture is a folder too,
  // but one trace.
  const openTyped = async (what: string) => {
    setFailure(null);
    const entries = (await server.folder(what).catch(() => null))?.entries ?? [];
    const capture = entries.some((entry) => entry.name === "ntrace.pb");
    if (entries.length > 1 && !capture) setFolder(what);
    else await open(what);
  };
  const traces = home?.traces ?? [];
  const recent = (home?.recent ?? []).filter((r) => !traces.some((t) => t.id === r.id));
  // Device profiles are no variants of each other.
  const sessions = traces.filter((t) => t.kind !== "device");
  const chosenOpen = chosen.filter((id) => sessions.some((t) => t.id === id));
  return (
    <Drop limit={home?.upload_limit ?? 0}>
      <div class="home">
        <header class="home-head">
          <h2 class="home-title">Where did the time go?</h2>
          <p class="muted">
            Open a PyTorch trace of any device, a capture folder, a folder of ranks, or a NEFF with its NTFF. Nothing
            leaves this machine.
          </p>
        </header>
        <form
          class="home-open"
          onSubmit={(event) => {
            event.preventDefault();
            if (path.trim() !== "") void openTyped(path.trim());
          }}
        >
          <input
            class="field"
            aria-label="Path of a trace on this machine"
            placeholder="Path of a trace or folder that you named to lanewise open"
            spellcheck={false}
            value={path}
            onInput={(event) => setPath(event.currentTarget.value)}
          />
          <button type="submit" class="button primary" disabled={path.trim() === ""}>
            Open
          </button>
          <button type="button" class="button" onClick={() => uploads.choose(false)}>
            Choose file …
          </button>
          <button type="button" class="button" onClick={() => uploads.choose(true)}>
            Choose folder …
          </button>
        </form>
        {failure !== null && (
          <p class="home-failure" role="alert">
            {failure}
          </p>
        )}
        <Uploads />
        {traces.length > 0 && (
          <section class="home-section" aria-labelledby="home-open-title">
            <header>
              <h3 id="home-open-title">Open</h3>
              <span class="spring" />
              {sessions.length > 1 && (
                <button
                  type="button"
                  class="button small"
                  disabled={chosenOpen.length === 1}
                  onClick={() => compareThese(chosenOpen.length > 1 ? chosenOpen : sessions.map((t) => t.id))}
                >
                  {chosenOpen.length > 1 ? `Compare ${chosenOpen.length}` : "Compare all"}
                </button>
              )}
            </header>
            <ul class="cards">
              {traces.map((trace) => (
                <TraceCard
                  key={trace.id}
                  trace={trace}
                  several={sessions.length > 1 && trace.kind !== "device"}
                  chosen={chosen.includes(trace.id)}
                  onChoose={(on) => setChosen(on ? [...chosen, trace.id] : chosen.filter((id) => id !== trace.id))}
                />
              ))}
            </ul>
          </section>
        )}
        {recent.length > 0 && (
          <section class="home-section" aria-labelledby="home-recent-title">
            <header>
              <h3 id="home-recent-title">Recent</h3>
            </header>
            <ul class="cards">
              {recent.map((entry) => (
                <li key={entry.path} class="card">
                  <button type="button" class="card-main" title={entry.path} onClick={() => void open(entry.path)}>
                    <span class="card-name clip">{entry.name}</span>
                    <span class="muted clip">{entry.path}</span>
                  </button>
                  <span class="muted card-when">{when(entry.when)}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
        {folder !== null && (
          <FolderList path={folder} onOpen={(what) => void open(what)} onClose={() => setFolder(null)} />
        )}
        {home?.examples.study && (
          <section class="home-section" aria-labelledby="home-sample-title">
            <header>
              <h3 id="home-sample-title">Sample</h3>
            </header>
            <ul class="cards">
              <li class="card">
                <button
                  type="button"
                  class="card-main"
                  onClick={() => {
                    setFailure(null);
                    openStudy(server, home.examples.study ?? "").catch((reason: unknown) =>
                      setFailure(reason instanceof Error ? reason.message : String(reason)),
                    );
                  }}
                >
                  <span class="card-name">The RMSNorm study</span>
                  <span class="muted">One RMSNorm, eager, fused and compiled, on a simulated NeuronCore</span>
                </button>
              </li>
            </ul>
          </section>
        )}
        {home && traces.length === 0 && recent.length === 0 && (
          <p class="home-empty muted">
            Nothing is open yet. Drop a <code>.json</code>, <code>.json.gz</code> or <code>.pftrace</code>, or a{" "}
            <code>.neff</code> with its <code>.ntff</code> here, or start <code>lanewise open FILE</code>.
          </p>
        )}
        {home && (
          <footer class="home-foot muted">
            Lanewise {home.version} · uploads up to {bytes(home.upload_limit)}
          </footer>
        )}
      </div>
    </Drop>
  );
}

interface CardProps {
  trace: Trace;
  several: boolean;
  chosen: boolean;
  onChoose(on: boolean): void;
}

function TraceCard({ trace, several, chosen, onChoose }: CardProps) {
  return (
    <li class="card">
      {several && (
        <input
          type="checkbox"
          aria-label={`Compare ${trace.name}`}
          title="Choose for a comparison"
          checked={chosen}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      )}
      <button
        type="button"
        class="card-main"
        title={trace.path}
        disabled={trace.state === "failed"}
        onClick={() => bringToFront(trace.id)}
      >
        <span class="card-name clip">{trace.name}</span>
        <span class="muted clip">{trace.state === "failed" ? trace.error : trace.path}</span>
      </button>
      <span class="muted card-when">
        {trace.kind === "device"
          ? `device profile, ${count(trace.progress.events)} runs`
          : `${count(trace.ledger.kept || trace.progress.events)} events`}
      </span>
      <Badges trace={trace} />
      <button
        type="button"
        class="button quiet icon small"
        aria-label={`Close ${trace.name}`}
        title="Close"
        onClick={() => void closeTrace(trace.id)}
      >
        <CloseIcon />
      </button>
    </li>
  );
}

function when(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime())
    ? text
    : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
