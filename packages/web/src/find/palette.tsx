// The command palette: sessions, actions, agents and terminals by a few letters.
import {
  ArrowRightIcon,
  CommandPaletteIcon,
  CommentDiscussionIcon,
  PlusIcon,
  SearchIcon,
  TerminalIcon,
  XIcon,
} from "@primer/octicons-react";
import type { RootState } from "@holdfast/ahp";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { hasTouchKeyboard } from "../chat/message-focus.ts";
import { IconButton } from "../ui/button.tsx";
import { isComposing } from "../ui/composing.ts";
import { useModal } from "../ui/dialog.tsx";
import { Keys } from "../ui/keys.tsx";
import { offeredActions } from "./offered-actions.ts";
import { type Actions, type PaletteItem, paletteItems, type RankedItem, rankItems } from "./palette-items.ts";
import style from "./palette.module.css";
import { isMacKeyboard, keyNames } from "./shortcuts.ts";

interface PaletteProps {
  readonly root: RootState | undefined;
  readonly actions: Actions;
  readonly onNewSession: (agent: string) => void;
  readonly onClose: () => void;
}

const icons: Readonly<Record<PaletteItem["kind"], ReactNode>> = {
  session: <CommentDiscussionIcon />,
  action: <ArrowRightIcon />,
  agent: <PlusIcon />,
  terminal: <TerminalIcon />,
  search: <SearchIcon />,
};

/** Modal until it is removed. Arrows choose, Enter runs, Escape closes. */
export default function Palette({ root, actions, onNewSession, onClose }: PaletteProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const [search, setSearch] = useState("");
  const [marked, setMarked] = useState(0);
  const items = useMemo(() => {
    const { help, ...others } = actions;
    // Shortcuts are of no use on a device without a keyboard (Z935).
    const useful = hasTouchKeyboard || help === undefined ? others : { help, ...others };
    return paletteItems(root, useful, onNewSession, offeredActions());
  }, [root, actions, onNewSession]);
  const ranked = useMemo(() => rankItems(items, search), [items, search]);
  const at = Math.min(marked, ranked.length - 1);
  useModal(dialog);
  useEffect(() => {
    document.getElementById(`${listId}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [listId, at, search]);
  const run = (item: PaletteItem): void => {
    // Until then nothing else can have the focus.
    dialog.current?.close();
    onClose();
    item.run();
  };
  const press = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) return;
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const step = steps[event.key];
    const chosen = ranked[at];
    if (step !== undefined) {
      const to = at + step;
      const isOne = Math.abs(step) === 1;
      setMarked(isOne ? (to + ranked.length) % ranked.length : Math.min(ranked.length - 1, Math.max(0, to)));
    } else if (event.key === "Enter" && chosen !== undefined) run(chosen.item);
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") onClose();
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      className={style.palette}
      aria-label="Command palette"
      onClose={onClose}
      onMouseDown={(event) => {
        if (event.target !== dialog.current) return;
        // Pressing the mouse would move the focus to what is below.
        event.preventDefault();
        onClose();
      }}
    >
      <div className={style.content}>
        <div className={style.field}>
          <CommandPaletteIcon />
          <input
            role="combobox"
            aria-label="Find a session or an action"
            aria-expanded="true"
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={ranked.length === 0 ? undefined : `${listId}-${at}`}
            placeholder="Search sessions and actions"
            autoFocus
            autoComplete="off"
            spellCheck={false}
            value={search}
            onChange={({ target }) => {
              setSearch(target.value);
              setMarked(0);
            }}
            onKeyDown={press}
          />
          <kbd>Esc</kbd>
          <span className={style.close}>
            <IconButton label="Close" icon={<XIcon />} onClick={onClose} />
          </span>
        </div>
        <PaletteList id={listId} ranked={ranked} at={at} onMark={setMarked} onRun={run} />
      </div>
    </dialog>
  );
}

interface PaletteListProps {
  readonly id: string;
  readonly ranked: readonly RankedItem[];
  /** The index of the one that is marked. */
  readonly at: number;
  readonly onMark: (index: number) => void;
  readonly onRun: (item: PaletteItem) => void;
}

function PaletteList({ id, ranked, at, onMark, onRun }: PaletteListProps): ReactNode {
  return (
    <ul id={id} className={style.list} role="listbox" aria-label="Results">
      {ranked.map(({ item, places }, index) => (
        <li
          key={item.key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          className={style.item}
          onPointerMove={() => onMark(index)}
          onClick={() => onRun(item)}
        >
          <span className={style.icon}>{icons[item.kind]}</span>
          <span className={style.words}>
            <span className={style.label}>
              <Marked text={item.label} places={places} />
            </span>
            {item.detail !== undefined && <span className={style.detail}>{item.detail}</span>}
          </span>
          {item.keys !== undefined && <Keys keys={keyNames(item.keys, isMacKeyboard())} />}
        </li>
      ))}
    </ul>
  );
}

function Marked({ text, places }: { readonly text: string; readonly places: readonly number[] }): ReactNode {
  if (places.length === 0) return text;
  const isMatch = new Set(places);
  return Array.from({ length: text.length }, (_, index) =>
    isMatch.has(index) ? <b key={index}>{text.charAt(index)}</b> : text.charAt(index),
  );
}
