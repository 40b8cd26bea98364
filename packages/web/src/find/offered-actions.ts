// Actions of the view that is shown, for the palette: those of a session's menu, for example.
import { useEffect, useRef } from "react";

export interface OfferedAction {
  readonly label: string;
  /** The object of the action. */
  readonly detail: string;
  readonly run: () => void;
}

const sources = new Set<() => readonly OfferedAction[]>();

/** Offers actions in the palette as long as the component is shown. */
export function useOfferedActions(actions: readonly OfferedAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const source = (): readonly OfferedAction[] => latest.current;
    sources.add(source);
    return () => void sources.delete(source);
  }, []);
}

/** The actions that are offered now. */
export function offeredActions(): OfferedAction[] {
  return [...sources].flatMap((source) => source());
}
