// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of many rows of one height are in view. Browsers give up on elements of tens of millions of pixels, so beyond a limit
// the scroll height is squeezed: the place in the list is then the scrolled share.
const TALLEST = 8_000_000;

export interface Window {
  // Height of the whole list in pixels of the scroller.
  height: number;
  first: number;
  // One behind the last.
  end: number;
  // Where the first row of the window stands in the scroller.
  top: number;
}

export function rowWindow(rows: number, rowHeight: number, scrollTop: number, viewHeight: number, spare = 4): Window {
  const full = rows * rowHeight;
  const height = Math.min(full, TALLEST);
  const squeezed = full > TALLEST && height > viewHeight;
  const real = squeezed ? (scrollTop / (height - viewHeight)) * (full - viewHeight) : scrollTop;
  const first = Math.max(0, Math.floor(real / rowHeight) - spare);
  const end = Math.min(rows, Math.ceil((real + viewHeight) / rowHeight) + spare);
  return { height, first, end, top: scrollTop + (first * rowHeight - real) };
}

// Where to scroll so that `row` is in view; the place of now when it is.
export function scrollTo(row: number, rows: number, rowHeight: number, scrollTop: number, viewHeight: number): number {
  const full = rows * rowHeight;
  const height = Math.min(full, TALLEST);
  const squeezed = full > TALLEST && height > viewHeight;
  const scale = squeezed ? (height - viewHeight) / (full - viewHeight) : 1;
  const real = scrollTop / scale;
  const top = row * rowHeight;
  if (top < real) return top * scale;
  if (top + rowHeight > real + viewHeight) return (top + rowHeight - viewHeight) * scale;
  return scrollTop;
}
