// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Light or dark: the system's wish unless the reader chose. `dark` is what holds now; the page's root element carries it as
// `data-theme`, which the style sheet reads.
import { computed, effect, signal } from "@preact/signals";

export type ThemeChoice = "system" | "light" | "dark";

const KEY = "lanewise-theme";
const wish = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;
const systemDark = signal(wish?.matches ?? false);
wish?.addEventListener("change", (event) => {
  systemDark.value = event.matches;
});

export const themeChoice = signal<ThemeChoice>(kept());
export const dark = computed(() => (themeChoice.value === "system" ? systemDark.value : themeChoice.value === "dark"));

effect(() => {
  document.documentElement.dataset.theme = dark.value ? "dark" : "light";
});

export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice;
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
}

function kept(): ThemeChoice {
  try {
    const text = localStorage.getItem(KEY);
    return text === "light" || text === "dark" ? text : "system";
  } catch {
    return "system";
  }
}
