// The help on keyboard shortcuts.
import type { ReactNode } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { Keys } from "../ui/keys.tsx";
import { isMacKeyboard, keyNames, shortcuts } from "./shortcuts.ts";
import style from "./shortcut-help.module.css";

export default function ShortcutHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const isMac = isMacKeyboard();
  const listed = shortcuts.filter(({ keys }) => keys !== undefined);
  const groups = [...new Set(listed.map(({ group }) => group))];
  return (
    <Dialog title="Keyboard shortcuts" size="large" onClose={onClose}>
      <div className={style.groups}>
        {groups.map((group) => (
          <section key={group} aria-label={group} className={style.group}>
            <h3>{group}</h3>
            <dl>
              {listed
                .filter((shortcut) => shortcut.group === group)
                .map(({ label, keys = [] }) => (
                  <div key={label} className={style.row}>
                    <dt>{label}</dt>
                    <dd>
                      {keys.map((combination) => (
                        <Keys key={combination} keys={keyNames(combination, isMac)} />
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
