// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Line icons of the timeline, 16 × 16.
const PATHS = {
  open: "M4 6l4 4 4-4",
  closed: "M6 4l4 4-4 4",
  pin: "M6 2h4l-.5 5 2 2.5h-7L6.500 7zM8 9.500V14",
  hide: "M2 8s2.200-4 6-4 6 4 6 4-2.200 4-6 4-6-4-6-4zM3 13L13 3",
  tall: "M8 2v12M5 5l3-3 3 3M5 11l3 3 3-3",
  fit: "M2 4v8M14 4v8M4 8h8M6 6L4 8l2 2M10 6l2 2-2 2",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  undo: "M6 4L3 7l3 3M3 7h6a3.500 3.500 0 010 7H7",
  redo: "M10 4l3 3-3 3M13 7H7a3.500 3.500 0 000 7h2",
  box: "M3 3h3M10 3h3v3M13 10v3h-3M6 13H3v-3M3 6V3",
  arrows: "M2 4h4c4 0 2 8 6 8h2M12 10l2 2-2 2",
  bands: "M3 3v10M13 3v10M3 6h10M3 10h10",
  marker: "M4 14V3h8l-2 3 2 3H4",
  legend: "M3 4h2v2H3zM8 5h5M3 10h2v2H3zM8 11h5",
  lanes: "M2 4h12M2 8h12M2 12h12",
  close: "M4 4l8 8M12 4l-8 8",
  save: "M8 2v8M5 7l3 3 3-3M3 13h10",
  load: "M8 10V2M5 5l3-3 3 3M3 13h10",
  filter: "M2 4h12l-4.500 5v4l-3-1.500V9z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="tl-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
