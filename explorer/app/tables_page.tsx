// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// All tables, each with the whole height of the window.

import { kindOf } from "@/app/kind";
import { arrange, layout, panel } from "@/app/layout";
import { panelOf, panelsOf } from "@/app/plugins";
import { PanelView, toTimeline } from "@/app/table_panel";
import type { PageProps } from "@/base/panel";
import { focus, selection } from "@/base/view";
import { Details } from "@/plugins/details";
import { Split } from "@/widgets/split";
import { TabPanel, Tabs } from "@/widgets/tabs";

export function TablesPage({ trace }: PageProps) {
  const kind = kindOf(trace) ?? "session";
  const now = panelOf(panel.value, kind);
  const chosen = selection.value.text;
  return (
    <div class="tables-page">
      <nav class="tables-list" aria-label="Tables">
        <Tabs
          tabs={panelsOf(kind)}
          now={now.id}
          label="Tables"
          name="table"
          vertical
          onTab={(id) => {
            panel.value = id;
          }}
        />
      </nav>
      <Split
        direction="row"
        label="Width of the details"
        first={
          <div class="tables-front">
            <header class="tables-head">
              <h2>{now.title}</h2>
              <p class="muted">{now.about}</p>
              <span class="spring" />
              {chosen !== "" && (
                <button type="button" class="button small" onClick={toTimeline}>
                  <span class="clip">Show “{chosen}” on the timeline</span>
                </button>
              )}
            </header>
            <TabPanel name="table" now={now.id} className="bottom-panel">
              <PanelView panel={now} trace={trace} />
            </TabPanel>
          </div>
        }
        second={layout.value.showRight && focus.value !== null ? <Details trace={trace} /> : null}
        size={layout.value.right}
        least={260}
        most={900}
        onSize={(size) => arrange({ right: size })}
      />
    </div>
  );
}
