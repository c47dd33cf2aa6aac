// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The bar at the top: whose trace, which page, search, and the switches of the page itself.
import type { Signal } from "@preact/signals";
import { Badges } from "@/app/badges";
import { closeTrace } from "@/app/front";
import { kindOf } from "@/app/kind";
import { arrange, layout, presets } from "@/app/layout";
import { pageFor, pagesOf } from "@/app/pages";
import { SearchBox } from "@/app/search_box";
import { bringToFront } from "@/base/front";
import { chooseTheme, dark, themeChoice } from "@/base/theme";
import { type Launch, launch, page, traceIds } from "@/base/view";
import { backToLaunch } from "@/engine/device";
import { opened } from "@/engine/opened";
import { isReport } from "@/engine/server";
import { CloseIcon, DownIcon, HelpIcon, MoonIcon, PanelsIcon, SunIcon } from "@/widgets/icons";
import { Menu } from "@/widgets/menu";

interface TopBarProps {
  searchBox: Signal<HTMLInputElement | null>;
  onPalette(): void;
  onHelp(): void;
}

export function TopBar({ searchBox, onPalette, onHelp }: TopBarProps) {
  const trace = traceIds.value[0];
  return (
    <header class="topbar">
      <button
        type="button"
        class="brand"
        aria-current={page.value === "home" ? "page" : undefined}
        title={isReport ? "Summary" : "Home: open and recent traces"}
        onClick={() => {
          page.value = isReport ? "summary" : "home";
        }}
      >
        <Mark />
        <span class="brand-word">Lanewise</span>
      </button>
      {trace !== undefined && <TraceName id={trace} />}
      {launch.value && kindOf(trace) === "device" && <ToLaunch from={launch.value} />}
      {trace !== undefined && (
        <nav class="pages" aria-label="Pages">
          {pagesOf(kindOf(trace) ?? "session").map((p) => (
            <button
              key={p.id}
              type="button"
              class="page-link"
              title={p.about}
              aria-current={page.value === p.id ? "page" : undefined}
              onClick={() => {
                page.value = p.id;
              }}
            >
              {p.title}
            </button>
          ))}
        </nav>
      )}
      <span class="spring" />
      {trace !== undefined && !isReport && <SearchBox trace={trace} box={searchBox} />}
      <button type="button" class="button quiet palette-button" title="Commands (Ctrl+K)" onClick={onPalette}>
        <kbd>Ctrl K</kbd>
      </button>
      {trace !== undefined && (
        <Menu
          title="Layout of panels"
          label={
            <>
              <PanelsIcon />
              <span class="unseen">Layout</span>
            </>
          }
        >
          {(close) =>
            presets.map((preset) => (
              <button
                key={preset.id}
                type="button"
                class="item"
                onClick={() => {
                  arrange(preset.layout);
                  close();
                }}
              >
                {preset.title}
                {preset.layout.showBottom === layout.value.showBottom &&
                  preset.layout.showRight === layout.value.showRight && <span class="muted">· now</span>}
              </button>
            ))
          }
        </Menu>
      )}
      <button
        type="button"
        class="button quiet icon"
        title={dark.value ? "Light" : "Dark"}
        aria-label={dark.value ? "Use light colours" : "Use dark colours"}
        data-choice={themeChoice.value}
        onClick={() => chooseTheme(dark.value ? "light" : "dark")}
      >
        {dark.value ? <SunIcon /> : <MoonIcon />}
      </button>
      <button type="button" class="button quiet icon" title="Help and keys (?)" aria-label="Help" onClick={onHelp}>
        <HelpIcon />
      </button>
    </header>
  );
}

function ToLaunch({ from }: { from: Launch }) {
  return (
    <button
      type="button"
      class="button small"
      title={`${from.program} in ${from.name}`}
      onClick={() => backToLaunch(from)}
    >
      Back to the launch
    </button>
  );
}

function TraceName({ id }: { id: string }) {
  const info = opened.info(id).value;
  const others = opened.home.value?.traces ?? [];
  const name = info?.trace.name ?? others.find((other) => other.id === id)?.name ?? "…";
  if (isReport) {
    return (
      <div class="trace-name">
        <strong class="clip report-name">{name}</strong>
        <span class="pill">report</span>
        {info && <Badges trace={info.trace} compact />}
      </div>
    );
  }
  return (
    <div class="trace-name">
      <Menu
        align="left"
        className="button quiet trace-button"
        title={info?.trace.path ?? "The trace in front"}
        label={
          <>
            <span class="clip">{name}</span>
            <DownIcon />
          </>
        }
      >
        {(close) => (
          <div class="trace-menu">
            {others.map((trace) => (
              <div key={trace.id} class="trace-line">
                <button
                  type="button"
                  class="item"
                  aria-current={trace.id === id}
                  title={trace.path}
                  onClick={() => {
                    bringToFront(trace.id, pageFor(trace.kind, page.value));
                    close();
                  }}
                >
                  <span class="clip">{trace.name}</span>
                </button>
                <button
                  type="button"
                  class="button quiet icon small"
                  aria-label={`Close ${trace.name}`}
                  title="Close"
                  onClick={() => {
                    close();
                    void closeTrace(trace.id);
                  }}
                >
                  <CloseIcon />
                </button>
              </div>
            ))}
            <button
              type="button"
              class="item"
              onClick={() => {
                page.value = "home";
                close();
              }}
            >
              Open another …
            </button>
          </div>
        )}
      </Menu>
      {info && <Badges trace={info.trace} compact />}
    </div>
  );
}

function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 16 16" aria-hidden="true">
      <rect width="16" height="16" rx="3.5" fill="var(--accent)" />
      <path d="M3 5h6M5 8h8M4 11h5" stroke="var(--accent-text)" stroke-width="1.8" stroke-linecap="round" />
    </svg>
  );
}
