// Shows what the page has to say.
import { useSyncExternalStore, type ReactNode } from "react";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import style from "./notices.module.css";

/** The notices in a corner, read out as they come. */
export function Notices(): ReactNode {
  const { notices } = useHost();
  const shown = useSyncExternalStore(notices.listen, notices.view);
  return (
    <div className={style.notices} role="status" aria-live="polite" aria-label="Notices">
      {shown.map(({ id, kind, text }) => (
        <div key={id} className={style.notice} data-kind={kind}>
          <span>{text}</span>
          <button
            type="button"
            className={control.quiet}
            aria-label="Dismiss the notice"
            onClick={() => notices.dismiss(id)}
          >
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
