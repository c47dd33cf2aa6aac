// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Search everywhere: what is typed lights up on the timeline and lists the first matches; Enter brings one to the front.
import type { Signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import { count, time } from "@/base/units";
import { focus, page, search, selection } from "@/base/view";
import { cell, eventIdText, type FrameTable } from "@/engine/frame";
import { opened } from "@/engine/opened";
import { showSpan } from "@/engine/pick";
import { server } from "@/engine/server";
import { SearchIcon } from "@/widgets/icons";

const SHOWN = 40;

export function SearchBox({ trace, box }: { trace: string; box: Signal<HTMLInputElement | null> }) {
  const [text, setText] = useState(search.value);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const root = useRef<HTMLDivElement>(null);
  const typed = useRef(search.value);
  // The address and the palette may set it too.
  useEffect(() => {
    if (search.value !== typed.current) {
      typed.current = search.value;
      setText(search.value);
    }
  }, [search.value]);
  useEffect(() => {
    if (text === search.value) return;
    const timer = setTimeout(() => {
      typed.current = text;
      search.value = text;
    }, 180);
    return () => clearTimeout(timer);
  }, [text]);
  const wanted = search.value.trim();
  const answer = useAnswer(
    wanted === "" ? null : (stop) => server.search(trace, { text: wanted, limit: SHOWN }, stop),
    [trace, wanted],
  );
  useEffect(() => setAt(0), [wanted]);
  const matches = answer.value?.tables.find((t) => t.name === "matches") ?? null;
  const total = Number(answer.value?.members.total ?? matches?.members.total ?? matches?.rows ?? 0);

  const take = (row: number) => {
    if (!matches || row >= matches.rows) return;
    const id = eventIdText(Number(cell(matches.column("event"), row)));
    const from = Number(cell(matches.column("start_ns"), row));
    focus.value = id;
    selection.value = { events: [id], token: 0, text: nameOf(matches, row, trace) };
    page.value = "timeline";
    showSpan(
      { from, to: from + Number(cell(matches.column("dur_ns"), row)) },
      Number(cell(matches.column("lane"), row)),
    );
    setOpen(false);
    // The keys that go on from there (N, J, F …) are the timeline's.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(".tl-stage")?.focus({ preventScroll: true }));
  };
  const listed = open && wanted !== "";
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      // First the list goes, and the hits stay lit; then the search itself.
      if (!listed && text !== "") setText("");
      else box.value?.blur();
      setOpen(false);
    } else if (event.key === "ArrowDown" && matches) setAt(Math.min(at + 1, matches.rows - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
    else if (event.key === "Enter") take(at);
    else return;
    event.preventDefault();
  };
  return (
    <search
      ref={root}
      class="search"
      onFocusOut={(event) => {
        if (!root.current?.contains(event.relatedTarget as Node | null)) setOpen(false);
      }}
    >
      <SearchIcon />
      <input
        ref={(input) => {
          box.value = input;
        }}
        class="field search-field"
        type="text"
        role="combobox"
        placeholder="Search events"
        aria-label="Search events"
        aria-expanded={listed}
        aria-controls="search-matches"
        aria-activedescendant={listed && matches && matches.rows > 0 ? `search-match-${at}` : undefined}
        spellcheck={false}
        autocomplete="off"
        value={text}
        onFocus={() => setOpen(true)}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={key}
      />
      {text === "" && <kbd class="search-key">/</kbd>}
      {listed && (
        <div class="search-box">
          <p class="search-total" role="status">
            {answer.error ?? (answer.loading ? "Searching …" : `${count(total)} ${total === 1 ? "match" : "matches"}`)}
          </p>
          <div id="search-matches" class="search-matches" role="listbox" aria-label="Matches" tabIndex={0}>
            {matches &&
              Array.from({ length: matches.rows }, (_, row) => (
                <div
                  key={row}
                  id={`search-match-${row}`}
                  role="option"
                  tabIndex={-1}
                  class="search-match"
                  aria-selected={row === at}
                  onPointerDown={(event) => {
                    event.preventDefault();
                    take(row);
                  }}
                >
                  <span class="clip">{nameOf(matches, row, trace)}</span>
                  <span class="muted">{time(Number(cell(matches.column("dur_ns"), row)))}</span>
                </div>
              ))}
          </div>
        </div>
      )}
    </search>
  );
}

// Names come as indices into the trace's list, or as texts.
function nameOf(table: FrameTable, row: number, trace: string): string {
  const value = cell(table.column("name"), row);
  if (typeof value === "string") return value;
  return opened.info(trace).value?.names[Number(value)] ?? "event";
}
