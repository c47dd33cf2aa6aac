// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the keys do in a table, apart from how it looks.
import type { Place } from "@/widgets/table/view";

export interface TableActions {
  place: Place;
  page: number;
  last: number;
  goTo(place: Place): void;
  activate(): void;
  copy(): void;
  widen(by: number): void;
}

export const tableKeys: { keys: string; does: string }[] = [
  { keys: "↑ ↓ PageUp PageDown Home End", does: "move from row to row" },
  { keys: "← →", does: "move from column to column" },
  { keys: "Enter", does: "show the row on the timeline; on the header: sort" },
  { keys: "Ctrl+C", does: "copy the row" },
  { keys: "Shift+← Shift+→", does: "make the column narrower or wider" },
];

// Whether the key was the table's.
export function tableKey(event: KeyboardEvent, on: TableActions): boolean {
  const { place } = on;
  const by = (entry: number, column = 0) => {
    on.goTo({ entry: place.entry + entry, column: place.column + column });
    return true;
  };
  if ((event.ctrlKey || event.metaKey) && event.key === "c") {
    // Text that the reader marked goes first.
    if (String(getSelection() ?? "") !== "") return false;
    on.copy();
    return true;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.shiftKey) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return false;
    on.widen(event.key === "ArrowRight" ? 16 : -16);
    return true;
  }
  switch (event.key) {
    case "ArrowDown":
      return by(1);
    case "ArrowUp":
      return by(-1);
    case "PageDown":
      return by(on.page);
    case "PageUp":
      on.goTo({ entry: Math.max(0, place.entry - on.page), column: place.column });
      return true;
    case "ArrowLeft":
      return by(0, -1);
    case "ArrowRight":
      return by(0, 1);
    case "Home":
      on.goTo({ entry: 0, column: place.column });
      return true;
    case "End":
      on.goTo({ entry: on.last, column: place.column });
      return true;
    case "Enter":
    case " ":
      on.activate();
      return true;
    default:
      return false;
  }
}
