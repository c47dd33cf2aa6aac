// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A button that opens a small box below itself. Escape or a click beside closes it and gives the keyboard back to the button.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import "@/widgets/css/menu.css";

interface MenuProps {
  label: ComponentChildren;
  title: string;
  // Called to make the contents each time it opens; `close` for contents that end it.
  children: (close: () => void) => ComponentChildren;
  align?: "left" | "right";
  className?: string;
}

export function Menu({ label, title, children, align = "right", className = "button quiet" }: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!open) return;
    const beside = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", beside, true);
    root.current?.querySelector<HTMLElement>(".menu-box input, .menu-box button, .menu-box a")?.focus();
    return () => document.removeEventListener("pointerdown", beside, true);
  }, [open]);
  return (
    <div
      class="menu"
      ref={root}
      onKeyDown={(event) => {
        if (open && event.key === "Escape") {
          event.stopPropagation();
          close();
        }
        if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
          event.preventDefault();
          move(root.current, event.key === "ArrowDown" ? 1 : -1);
        }
      }}
    >
      <button
        ref={button}
        type="button"
        class={className}
        title={title}
        aria-haspopup="true"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      {open && <div class={`menu-box ${align}`}>{children(close)}</div>}
    </div>
  );
}

function move(root: HTMLElement | null, by: number): void {
  const stops = [...(root?.querySelectorAll<HTMLElement>(".menu-box input, .menu-box button, .menu-box a") ?? [])];
  const now = stops.indexOf(document.activeElement as HTMLElement);
  stops[(now + by + stops.length) % stops.length]?.focus();
}
