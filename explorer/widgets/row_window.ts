// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of many rows of one height are in view: TanStack's virtualizer as a hook. A browser gives up on elements of more than
// some 17 million pixels; nothing that scrolls here has that many rows (table/cut.ts).
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

export interface RowWindow {
  // Height of all rows in pixels.
  height: number;
  // The rows in view and a few more, with their place.
  items: { index: number; start: number }[];
  // Scrolls no further than needed.
  show(row: number): void;
}

// `covered`: pixels of the scroller that a head and a foot cover.
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  covered: number,
): RowWindow {
  const [, draw] = useState(0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 4,
    scrollPaddingEnd: covered,
    // Until the scroller is there to be measured.
    initialRect: { width: 0, height: 600 },
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => draw((n) => n + 1),
  };
  const [rows] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  rows.setOptions(options);
  useLayoutEffect(() => rows._didMount(), [rows]);
  useLayoutEffect(() => rows._willUpdate());
  return { height: rows.getTotalSize(), items: rows.getVirtualItems(), show: (row) => rows.scrollToIndex(row) };
}
