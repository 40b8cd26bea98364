// Tabs: views of one thing, of which one is shown.
import { type KeyboardEvent, type ReactNode, useRef } from "react";
import style from "./tabs.module.css";

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly icon?: ReactNode;
  /** Shown after the label; 0 is not shown. */
  readonly count?: number;
}

export interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly current: Id;
  readonly onChange: (id: Id) => void;
}

/** The row of tabs; arrows, Home and End move between them. The view itself stands in a `TabPanel`. */
export function Tabs<Id extends string>(props: TabsProps<Id>): ReactNode {
  const { label, tabs, current, onChange } = props;
  const row = useRef<HTMLDivElement>(null);
  const press = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ id }) => id === current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onChange(next.id);
    row.current?.querySelector<HTMLElement>(`#${CSS.escape(tabId(next.id))}`)?.focus();
  };
  return (
    <div ref={row} className={style.tabs} role="tablist" aria-label={label} onKeyDown={press}>
      {tabs.map(({ id, label: words, icon, count = 0 }) => (
        <button
          key={id}
          id={tabId(id)}
          type="button"
          role="tab"
          className={style.tab}
          aria-selected={id === current}
          aria-controls={id === current ? panelId(id) : undefined}
          tabIndex={id === current ? 0 : -1}
          onClick={() => onChange(id)}
        >
          {icon}
          {words}
          {count > 0 && <span className={style.count}>{count}</span>}
        </button>
      ))}
    </div>
  );
}

export interface TabPanelProps {
  readonly id: string;
  readonly children: ReactNode;
}

/** The view of the current tab; it fills its place. */
export function TabPanel({ id, children }: TabPanelProps): ReactNode {
  return (
    <div id={panelId(id)} className={style.panel} role="tabpanel" aria-labelledby={tabId(id)}>
      {children}
    </div>
  );
}

const tabId = (id: string): string => `tab-${id}`;
const panelId = (id: string): string => `panel-${id}`;
