// Menu: actions behind one button.
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { Popover } from "./popover.tsx";
import style from "./popover.module.css";

export interface MenuAction {
  readonly label: string;
  readonly icon?: ReactNode;
  /** Keys that do the same. */
  readonly keys?: string;
  readonly detail?: string;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
}

export type MenuItem = MenuAction | "separator";

export interface MenuProps {
  /** The name of the button; its words unless there is an icon. */
  readonly label: string;
  readonly icon?: ReactNode;
  readonly items: readonly MenuItem[];
  readonly align?: "start" | "end";
  readonly size?: "medium" | "small";
  /** Whether the icon stands alone. */
  readonly isIconOnly?: boolean;
}

export function Menu(props: MenuProps): ReactNode {
  const { label, icon, items, align = "end", size = "medium", isIconOnly = icon !== undefined } = props;
  const anchor = useRef<HTMLSpanElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => {
    setIsOpen(false);
    anchor.current?.querySelector("button")?.focus();
  };
  const trigger = {
    "aria-haspopup": "menu",
    "aria-expanded": isOpen,
    onClick: () => setIsOpen(!isOpen),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      setIsOpen(true);
    },
  } as const;
  return (
    <span ref={anchor} style={{ display: "inline-flex" }}>
      {isIconOnly ? (
        <IconButton label={label} icon={icon} size={size} {...trigger} />
      ) : (
        <Button kind="quiet" icon={icon} size={size} {...trigger}>
          {label}
        </Button>
      )}
      {isOpen && (
        <Popover anchor={anchor} align={align} onClose={close}>
          <MenuList label={label} items={items} onClose={close} />
        </Popover>
      )}
    </span>
  );
}

interface MenuListProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
}

function MenuList({ label, items, onClose }: MenuListProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => buttonsIn(list.current)[0]?.focus(), []);
  const press = (event: KeyboardEvent): void => {
    const buttons = buttonsIn(list.current);
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const to = nextIndex(event.key, at, buttons);
    if (event.key === "Tab") onClose();
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[to]?.focus();
  };
  return (
    <div
      ref={list}
      className={`${style.panel} ${style.list}`}
      role="menu"
      tabIndex={-1}
      aria-label={label}
      onKeyDown={press}
    >
      {items.map((item, index) =>
        item === "separator" ? (
          <div key={index} role="separator" className={style.separator} />
        ) : (
          <button
            key={index}
            type="button"
            role="menuitem"
            tabIndex={-1}
            className={style.item}
            data-danger={item.isDanger}
            disabled={item.isDisabled}
            onClick={() => {
              onClose();
              item.onSelect();
            }}
          >
            <span className={style.icon}>{item.icon}</span>
            <span className={style.texts}>
              <span className={style.label}>{item.label}</span>
              {item.detail !== undefined && <span className={style.detail}>{item.detail}</span>}
            </span>
            {item.keys !== undefined && (
              <span className={style.mark}>
                <kbd>{item.keys}</kbd>
              </span>
            )}
          </button>
        ),
      )}
    </div>
  );
}

function buttonsIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)") ?? [])];
}

/** Where a key leads: arrows, Home, End, or the next item that begins with a letter. */
function nextIndex(key: string, at: number, buttons: readonly HTMLElement[]): number | undefined {
  const count = buttons.length;
  switch (key) {
    case "ArrowDown":
      return (at + 1) % count;
    case "ArrowUp":
      return (at - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
  }
  if (key.length !== 1 || key === " ") return undefined;
  const order = buttons.map((_, index) => (at + 1 + index) % count);
  return order.find((index) => labelOf(buttons[index]).startsWith(key.toLowerCase()));
}

function labelOf(button: HTMLElement | undefined): string {
  return button?.textContent.trim().toLowerCase() ?? "";
}
