// Light or dark: as the person chose, else as their system is.

/** What can be chosen. */
export type ThemeChoice = "system" | "light" | "dark";

const storageKey = "holdfast-theme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let choice: ThemeChoice = readChoice();

/** What is chosen. */
export function themeChoice(): ThemeChoice {
  return choice;
}

/** Chooses, and remembers it in this browser. */
export function chooseTheme(chosen: ThemeChoice): void {
  choice = chosen;
  localStorage.setItem(storageKey, chosen);
  apply();
}

/** Tells a listener of every change of the colours, until the returned function is called. */
export function listenToTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows the chosen theme from now on. */
export function startTheme(): void {
  apply();
  systemIsDark.addEventListener("change", apply);
}

function readChoice(): ThemeChoice {
  const kept = localStorage.getItem(storageKey);
  return kept === "light" || kept === "dark" ? kept : "system";
}

function apply(): void {
  const isDark = choice === "system" ? systemIsDark.matches : choice === "dark";
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  for (const listener of listeners) listener();
}
