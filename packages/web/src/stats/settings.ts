// Settings of this browser: text size, and what a new session starts with.
import { useSyncExternalStore } from "react";

export interface PageSettings {
  readonly textSize: TextSize;
  /** The agent that a new session has at first; empty: the last one used. */
  readonly agent: string;
  /** The approval policy that a new session has at first. */
  readonly policy: string;
}

export type TextSize = "small" | "medium" | "large";

const storageKey = "holdfast-settings";
const defaults: PageSettings = { textSize: "medium", agent: "", policy: "ask" };
const scales: Readonly<Record<TextSize, number>> = { small: 0.92, medium: 1, large: 1.15 };
/** The sizes of the design system, in pixels, by the names of their tokens. */
const sizes: Readonly<Record<string, number>> = {
  "--tiny": 11,
  "--small": 12,
  "--text-m": 13,
  "--text-l": 14,
  "--text-xl": 16,
  "--text-2xl": 20,
  "--text-3xl": 26,
};

const listeners = new Set<() => void>();
let settings = readSettings();

export function pageSettings(): PageSettings {
  return settings;
}

export function usePageSettings(): PageSettings {
  return useSyncExternalStore(listen, pageSettings);
}

export function changeSettings(change: Partial<PageSettings>): void {
  settings = { ...settings, ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(settings));
  } catch {
    // Denied: they hold as long as the page.
  }
  applySettings();
  for (const listener of listeners) listener();
}

/** Shows the text in the chosen size. */
export function applySettings(): void {
  const scale = scales[settings.textSize];
  const { style } = document.documentElement;
  for (const [name, sizePx] of Object.entries(sizes)) {
    if (scale === 1) style.removeProperty(name);
    else style.setProperty(name, `${(sizePx * scale).toFixed(2)}px`);
  }
}

/** What was kept; fields that are not ours, or not of our kind, are left out. */
export function parseSettings(text: string | null): PageSettings {
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    if (typeof kept !== "object" || kept === null) return defaults;
    const { textSize, agent, policy } = kept as Partial<Record<keyof PageSettings, unknown>>;
    const isSize = textSize === "small" || textSize === "medium" || textSize === "large";
    return {
      textSize: isSize ? textSize : defaults.textSize,
      agent: typeof agent === "string" ? agent : defaults.agent,
      policy: typeof policy === "string" ? policy : defaults.policy,
    };
  } catch {
    // Another program of this origin wrote it.
    return defaults;
  }
}

function readSettings(): PageSettings {
  try {
    return parseSettings(localStorage.getItem(storageKey));
  } catch {
    // Denied: the defaults.
    return defaults;
  }
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
