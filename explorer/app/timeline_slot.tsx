// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the timeline stands in pages.
export function TimelineSlot({ trace }: { trace: string }) {
  return <div class="timeline-slot">{trace}</div>;
}
