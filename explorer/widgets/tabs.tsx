// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tabs over one panel: arrows move along, Home and End go to the ends; the one in front is in the tab order.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import "@/widgets/css/tabs.css";

export interface Tab {
  id: string;
  title: string;
  about?: string;
}

interface TabsProps {
  tabs: readonly Tab[];
  now: string;
  label: string;
  // Prefix of the ids of tabs; the panel is `${name}-panel`.
  name: string;
  vertical?: boolean;
  onTab(id: string): void;
}

export function Tabs({ tabs, now, label, name, vertical = false, onTab }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const key = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === now);
    const next = { [vertical ? "ArrowDown" : "ArrowRight"]: at + 1, [vertical ? "ArrowUp" : "ArrowLeft"]: at - 1 };
    const to = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : next[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const tab = tabs[(to + tabs.length) % tabs.length];
    if (!tab) return;
    onTab(tab.id);
    list.current?.querySelector<HTMLElement>(`#${name}-tab-${tab.id}`)?.focus();
  };
  return (
    <div
      ref={list}
      class={`tabs${vertical ? " vertical" : ""}`}
      role="tablist"
      aria-label={label}
      aria-orientation={vertical ? "vertical" : "horizontal"}
      onKeyDown={key}
    >
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          id={`${name}-tab-${tab.id}`}
          role="tab"
          class="tab"
          title={tab.about}
          aria-selected={tab.id === now}
          aria-controls={tab.id === now ? `${name}-panel` : undefined}
          tabIndex={tab.id === now ? 0 : -1}
          onClick={() => onTab(tab.id)}
        >
          {tab.title}
        </button>
      ))}
    </div>
  );
}

interface TabPanelProps {
  name: string;
  now: string;
  className?: string;
  children: ComponentChildren;
}

export function TabPanel({ name, now, className, children }: TabPanelProps) {
  return (
    <div id={`${name}-panel`} role="tabpanel" aria-labelledby={`${name}-tab-${now}`} class={className}>
      {children}
    </div>
  );
}
