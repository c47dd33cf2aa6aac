// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Small pictures, drawn in the text's colour.
import type { JSX } from "preact";

function icon(path: JSX.Element) {
  return () => (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {path}
    </svg>
  );
}

export const SunIcon = icon(
  <>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1" />
  </>,
);
export const MoonIcon = icon(<path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z" />);
export const PanelsIcon = icon(
  <>
    <rect x="2" y="2.5" width="12" height="11" rx="1.5" />
    <path d="M2 9.5h8M10 2.5v11" />
  </>,
);
export const HelpIcon = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M6.2 6.3a1.9 1.9 0 1 1 2.7 1.7c-.6.3-.9.7-.9 1.3M8 11.4v.1" />
  </>,
);
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.3" />
    <path d="m10.3 10.3 3.2 3.2" />
  </>,
);
export const DownIcon = icon(<path d="m4.5 6.5 3.5 3.5 3.5-3.5" />);
export const CloseIcon = icon(<path d="m4 4 8 8M12 4l-8 8" />);
export const FileIcon = icon(<path d="M4 1.8h5l3 3v9.4H4ZM9 1.8v3h3" />);
export const FolderIcon = icon(<path d="M1.8 4.2h4.4l1.4 1.6h6.6v7H1.8Z" />);
