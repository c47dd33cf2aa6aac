// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Timelines that move together (compare): each has its own zero, so that aligned moments lie above each other.
import type { Span } from "@/base/view";

interface Linked {
  // Shows a span that another member chose, also where it reaches beyond the own trace.
  follow(span: Span): void;
}

export interface ViewLink {
  join(member: Linked): () => void;
  moved(member: Linked, span: Span): void;
}

// `zero` gives the aligned zero of a member in its own ns.
export class AlignedViews {
  private members = new Map<Linked, number>();
  private moving = false;

  // The link that one timeline gets.
  member(zero: number): ViewLink {
    return {
      join: (member) => {
        this.members.set(member, zero);
        return () => this.members.delete(member);
      },
      moved: (member, span) => this.tell(member, { from: span.from - zero, to: span.to - zero }),
    };
  }

  private tell(source: Linked, span: Span): void {
    if (this.moving) return;
    this.moving = true;
    for (const [member, zero] of this.members) {
      if (member !== source) member.follow({ from: span.from + zero, to: span.to + zero });
    }
    this.moving = false;
  }
}
