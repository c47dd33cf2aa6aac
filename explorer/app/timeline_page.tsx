// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The timeline above its tables, with the details of the event in front at the right.

import { kindOf } from "@/app/kind";
import { arrange, layout, panel } from "@/app/layout";
import { panelOf, panelsOf } from "@/app/plugins";
import { PanelView } from "@/app/table_panel";
import type { PageProps } from "@/base/panel";
import { Details } from "@/plugins/details";
import { Split } from "@/widgets/split";
import { TabPanel, Tabs } from "@/widgets/tabs";

export function TimelinePage({ trace, Timeline }: PageProps) {
  const { showBottom, showRight, bottom, right } = layout.value;
  const kind = kindOf(trace) ?? "session";
  const now = panelOf(panel.value, kind);
  const tables = showBottom ? (
    <section class="bottom" aria-label="Tables">
      <div class="bottom-tabs">
        <Tabs
          tabs={panelsOf(kind)}
          now={now.id}
          label="Tables"
          name="table"
          onTab={(id) => {
            panel.value = id;
          }}
        />
      </div>
      <TabPanel name="table" now={now.id} className="bottom-panel">
        <PanelView panel={now} trace={trace} />
      </TabPanel>
    </section>
  ) : null;
  const left = (
    <Split
      direction="column"
      label="Height of the tables"
      first={<Timeline trace={trace} />}
      second={tables}
      size={bottom}
      least={120}
      most={1400}
      onSize={(size) => arrange({ bottom: size })}
    />
  );
  return (
    <Split
      direction="row"
      label="Width of the details"
      first={left}
      second={showRight ? <Details trace={trace} /> : null}
      size={right}
      least={260}
      most={900}
      onSize={(size) => arrange({ right: size })}
    />
  );
}
