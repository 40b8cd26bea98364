// Shows what the page has to say.
import { XIcon } from "@primer/octicons-react";
import { useSyncExternalStore, type ReactNode } from "react";
import { useHost } from "../host/use-host.ts";
import { IconButton } from "../ui/button.tsx";
import style from "./notices.module.css";

/** The notices above the place that is looked at, where they cover nothing (Z892); read out as they come. */
export function Notices(): ReactNode {
  const { notices } = useHost();
  const shown = useSyncExternalStore(notices.listen, notices.view);
  return (
    <div className={style.notices} role="status" aria-live="polite" aria-label="Notices">
      {shown.map(({ id, kind, text }) => (
        <div key={id} className={style.notice} data-kind={kind}>
          <span>{text}</span>
          <IconButton
            label="Dismiss the notice"
            icon={<XIcon />}
            size="small"
            onClick={() => notices.dismiss(id)}
          />
        </div>
      ))}
    </div>
  );
}
