// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The pages in the order of the top bar.
import { TablesPage } from "@/app/tables_page";
import { TimelinePage } from "@/app/timeline_page";
import type { Page } from "@/base/panel";

export const pages: Page[] = [
  {
    id: "timeline",
    title: "Timeline",
    about: "Every event on its lane, from the framework to the hardware",
    Component: TimelinePage,
  },
  { id: "tables", title: "Tables", about: "Operators, kernels, gaps, copies and more", Component: TablesPage },
];

export function pageOf(id: string): Page | undefined {
  return pages.find((page) => page.id === id);
}
