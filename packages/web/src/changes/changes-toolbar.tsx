// The head of the changes: which are shown, how many, and how.
import { ColumnsIcon, ListUnorderedIcon, RowsIcon, SyncIcon } from "@primer/octicons-react";
import type { ReactNode } from "react";
import type { ChatState } from "@holdfast/ahp";
import { setDiffLayout } from "../chat/diff-layout.ts";
import { goTo, type SessionRoute } from "../frame/route.ts";
import { IconButton } from "../ui/button.tsx";
import { Picker, type PickerOption } from "../ui/picker.tsx";
import style from "./changes-page.module.css";
import type { ChangeList } from "./changes.ts";
import { countWords } from "./commit-bar.tsx";
import type { Layout } from "./diff-rows.ts";

interface ChangesToolbarProps {
  readonly route: SessionRoute;
  readonly chat: ChatState;
  readonly list: ChangeList;
  readonly layout: Layout;
  /** Whether side by side does not fit. */
  readonly isNarrow: boolean;
  readonly isTreeOpen: boolean;
  readonly onTree: () => void;
  readonly onReload: () => void;
}

export function ChangesToolbar(props: ChangesToolbarProps): ReactNode {
  const { route, chat, list, layout, isNarrow, isTreeOpen, onTree, onReload } = props;
  const { files, additions, deletions } = list.summary;
  return (
    <div className={style.toolbar} role="toolbar" aria-label="Changes">
      <span className={style.treeButton}>
        <IconButton
          label="Changed files"
          icon={<ListUnorderedIcon />}
          aria-expanded={isTreeOpen}
          onClick={onTree}
        />
      </span>
      <Picker
        label="Changes of"
        value={route.turn === undefined ? "" : String(route.turn)}
        options={turnOptions(list.turns, chat)}
        placeholder="All turns"
        onChange={(value) =>
          goTo({ ...route, file: undefined, line: undefined, turn: value === "" ? undefined : Number(value) })
        }
      />
      <span className={style.summary}>
        {countWords(files, "file")} <span className={style.added}>+{additions}</span>{" "}
        <span className={style.removed}>−{deletions}</span>
      </span>
      <span className={style.spring} />
      {!isNarrow && (
        <IconButton
          label={layout === "unified" ? "Show side by side" : "Show unified"}
          icon={layout === "unified" ? <ColumnsIcon /> : <RowsIcon />}
          onClick={() => setDiffLayout(layout === "unified" ? "split" : "unified")}
        />
      )}
      <IconButton label="Compare again" icon={<SyncIcon />} onClick={onReload} />
    </div>
  );
}

/** The turns, newest first, each with its message where the page has it. */
function turnOptions(
  turns: readonly number[],
  { turns: ended, activeTurn, turnsNextCursor }: ChatState,
): PickerOption[] {
  const all = activeTurn === undefined ? ended : [...ended, activeTurn];
  // Turns are counted from the session's first one, so earlier turns must be loaded to name them.
  const isWhole = turnsNextCursor === undefined && turns.at(-1) === all.length;
  return [
    { value: "", label: "All turns" },
    ...turns.toReversed().map((number) => ({
      value: String(number),
      label: `Turn ${number}`,
      detail: isWhole ? all[number - 1]?.message.text.split("\n", 1)[0] : undefined,
    })),
  ];
}
