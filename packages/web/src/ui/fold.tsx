// Fold: a line that opens what belongs to it.
import { ChevronRightIcon } from "@primer/octicons-react";
import type { ReactNode } from "react";
import style from "./fold.module.css";
import { useKeptChoice } from "./kept-state.tsx";

export interface FoldProps {
  /** The line. */
  readonly summary: ReactNode;
  /** The name for screen readers, where the line alone does not say enough. */
  readonly label?: string | undefined;
  readonly isOpenAtFirst?: boolean;
  /** The name, unique in its scope, under which a choice is kept. */
  readonly keptAs?: string;
  /** Beside the line: buttons that do not open it. */
  readonly aside?: ReactNode;
  /** Rendered while it is open. */
  readonly children: ReactNode;
  readonly onToggle?: ((isOpen: boolean) => void) | undefined;
}

export function Fold(props: FoldProps): ReactNode {
  const { summary, label, isOpenAtFirst = false, keptAs = "fold", aside, children, onToggle } = props;
  const [isOpen = isOpenAtFirst, setIsOpen] = useKeptChoice(keptAs);
  return (
    <div className={style.fold} data-open={isOpen}>
      <div className={style.line}>
        <button
          type="button"
          className={style.toggle}
          aria-expanded={isOpen}
          aria-label={label}
          onClick={() => {
            setIsOpen(!isOpen);
            onToggle?.(!isOpen);
          }}
        >
          <span className={style.arrow}>
            <ChevronRightIcon size={16} />
          </span>
          <span className={style.summary}>{summary}</span>
        </button>
        {aside}
      </div>
      {isOpen && <div className={style.content}>{children}</div>}
    </div>
  );
}
