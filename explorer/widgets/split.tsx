// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Two panes with a bar between them. The second has a size of its own; the bar takes pointer and keyboard (arrows, Home, End).
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import "@/widgets/css/split.css";

interface SplitProps {
  // Whether the panes stand beside or below each other.
  direction: "row" | "column";
  first: ComponentChildren;
  // Null: the first pane has all the room.
  second: ComponentChildren | null;
  // Pixels of the second pane.
  size: number;
  least: number;
  most: number;
  label: string;
  onSize(size: number): void;
}

export function Split({ direction, first, second, size, least, most, label, onSize }: SplitProps) {
  const root = useRef<HTMLDivElement>(null);
  const row = direction === "row";
  // A kept size may come from a larger window.
  const room = () => {
    const box = root.current;
    const all = box ? (row ? box.clientWidth : box.clientHeight) : most;
    return Math.max(least, Math.min(most, all - 160));
  };
  const set = (to: number) => onSize(Math.round(Math.max(least, Math.min(room(), to))));
  const drag = (event: PointerEvent) => {
    event.preventDefault();
    const bar = event.currentTarget as HTMLElement;
    bar.setPointerCapture(event.pointerId);
    const from = row ? event.clientX : event.clientY;
    const move = (next: PointerEvent) => set(size + from - (row ? next.clientX : next.clientY));
    const stop = () => {
      bar.removeEventListener("pointermove", move);
      bar.removeEventListener("pointerup", stop);
      bar.removeEventListener("pointercancel", stop);
    };
    bar.addEventListener("pointermove", move);
    bar.addEventListener("pointerup", stop);
    bar.addEventListener("pointercancel", stop);
  };
  const key = (event: KeyboardEvent) => {
    const less = row ? "ArrowRight" : "ArrowDown";
    const more = row ? "ArrowLeft" : "ArrowUp";
    const step = event.shiftKey ? 80 : 16;
    if (event.key === less) set(size - step);
    else if (event.key === more) set(size + step);
    else if (event.key === "Home") set(least);
    else if (event.key === "End") set(most);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={root} class={`split ${direction}`} style={{ "--second": `${size}px` }}>
      <div class="split-pane first">{first}</div>
      {second !== null && (
        <>
          <div
            class="split-bar"
            role="separator"
            tabIndex={0}
            aria-label={label}
            aria-orientation={row ? "vertical" : "horizontal"}
            aria-valuenow={size}
            aria-valuemin={least}
            aria-valuemax={most}
            onPointerDown={drag}
            onKeyDown={key}
          />
          <div class="split-pane second">{second}</div>
        </>
      )}
    </div>
  );
}
