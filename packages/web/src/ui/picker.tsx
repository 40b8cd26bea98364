// Picker: one of several choices, in a popover with a search field where there are many.
import { CheckIcon, ChevronDownIcon, SearchIcon } from "@primer/octicons-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { isComposing } from "./composing.ts";
import style from "./picker.module.css";
import { Popover } from "./popover.tsx";
import list from "./popover.module.css";

export interface PickerOption {
  readonly value: string;
  readonly label: string;
  /** A second line. */
  readonly detail?: string | undefined;
  readonly icon?: ReactNode;
  readonly isDisabled?: boolean;
}

export interface PickerProps {
  /** What is chosen, such as "Model"; part of the button's name for screen readers. */
  readonly label: string;
  readonly value: string;
  readonly options: readonly PickerOption[];
  readonly onChange: (value: string) => void;
  /** The id of its button, for a label beside it. */
  readonly id?: string;
  /** Before the chosen label. */
  readonly icon?: ReactNode;
  /** Shown where no option has the value. */
  readonly placeholder?: string;
  /** Whether its label stands before what is chosen. */
  readonly showsLabel?: boolean;
  /** Whether a text that is no option can be chosen. */
  readonly allowsOther?: boolean;
  readonly isDisabled?: boolean;
  /** `field` looks like a text field; `quiet` has no border. */
  readonly kind?: "quiet" | "field";
  /** Below the list. */
  readonly footer?: ReactNode;
}

/** From this many options on there is a search field. */
const searchFrom = 9;

export function Picker(props: PickerProps): ReactNode {
  const { label, value, options, icon, placeholder = "", isDisabled = false, kind = "quiet" } = props;
  const { showsLabel = false } = props;
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const chosen = options.find((option) => option.value === value);
  const close = (): void => {
    setIsOpen(false);
    anchor.current?.focus();
  };
  const text = chosen?.label ?? (value === "" ? placeholder : value);
  return (
    <>
      <button
        ref={anchor}
        id={props.id}
        type="button"
        className={style.button}
        data-kind={kind}
        data-chosen={chosen !== undefined || value !== ""}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-label={`${label}: ${text}`}
        title={chosen?.detail}
        disabled={isDisabled}
        onClick={() => setIsOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          setIsOpen(true);
        }}
      >
        {(chosen?.icon ?? icon) !== undefined && (
          <span className={style.icon} aria-hidden="true">
            {chosen?.icon ?? icon}
          </span>
        )}
        <span className={style.text}>{showsLabel ? `${label}: ${text}` : text}</span>
        <span className={style.arrow}>
          <ChevronDownIcon size={12} />
        </span>
      </button>
      {isOpen && (
        <Popover anchor={anchor} isWide={kind === "field"} onClose={close}>
          <Choices {...props} onClose={close} />
        </Popover>
      )}
    </>
  );
}

function Choices(props: PickerProps & { readonly onClose: () => void }): ReactNode {
  const { label, value, options, onChange, onClose, allowsOther = false, footer } = props;
  const id = useId();
  const [search, setSearch] = useState("");
  const hasSearch = allowsOther || options.length >= searchFrom;
  const shown = useMemo(() => matching(options, search, allowsOther), [options, search, allowsOther]);
  const [active, setActive] = useState(() => Math.max(0, indexOf(shown, value)));
  const choices = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const popover = choices.current?.closest("[popover]");
    popover?.querySelector<HTMLElement>(hasSearch ? "input" : "[role=listbox]")?.focus();
  }, [hasSearch]);
  useEffect(() => {
    choices.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const choose = (option: PickerOption | undefined): void => {
    if (option === undefined || option.isDisabled === true) return;
    onClose();
    if (option.value !== value) onChange(option.value);
  };
  const press = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) return;
    const to = nextActive(event, active, shown, hasSearch);
    if (event.key === "Tab") onClose();
    else if (event.key === "Enter" || (event.key === " " && !hasSearch)) choose(shown[active]);
    else if (to === undefined) return;
    else setActive(to);
    event.preventDefault();
    event.stopPropagation();
  };
  const activeId = shown.length > 0 ? `${id}-${active}` : undefined;
  return (
    <div className={`${list.panel} ${style.panel}`} onKeyDown={press}>
      {hasSearch && (
        <div className={list.search}>
          <SearchIcon size={16} />
          <input
            role="combobox"
            aria-label={`Search: ${label}`}
            aria-controls={id}
            aria-expanded="true"
            aria-activedescendant={activeId}
            aria-autocomplete="list"
            placeholder={allowsOther ? "Search or enter another" : "Search"}
            spellCheck={false}
            autoComplete="off"
            value={search}
            onChange={(event) => {
              setSearch(event.target.value);
              setActive(0);
            }}
          />
        </div>
      )}
      <ul
        ref={choices}
        id={id}
        className={`${list.list} ${style.choices}`}
        role="listbox"
        aria-label={label}
        tabIndex={hasSearch ? -1 : 0}
        aria-activedescendant={hasSearch ? undefined : activeId}
      >
        {shown.map((option, index) => (
          <Choice
            key={option.value}
            id={`${id}-${index}`}
            option={option}
            isChosen={option.value === value}
            isActive={index === active}
            onChoose={() => choose(option)}
          />
        ))}
      </ul>
      {shown.length === 0 && <p className={list.none}>Nothing matches.</p>}
      {footer}
    </div>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly option: PickerOption;
  readonly isChosen: boolean;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

function Choice({ id, option, isChosen, isActive, onChoose }: ChoiceProps): ReactNode {
  const { label, detail, icon, isDisabled } = option;
  return (
    <li
      id={id}
      className={list.item}
      role="option"
      aria-selected={isChosen}
      aria-disabled={isDisabled}
      data-active={isActive}
      onClick={onChoose}
    >
      {icon !== undefined && (
        <span className={list.icon} aria-hidden="true">
          {icon}
        </span>
      )}
      <span className={list.texts}>
        <span className={list.label}>{label}</span>
        {detail !== undefined && <span className={list.detail}>{detail}</span>}
      </span>
      <span className={list.mark}>{isChosen && <CheckIcon size={16} />}</span>
    </li>
  );
}

/** The options that contain every word of a search, and the search itself where it may be chosen. */
function matching(options: readonly PickerOption[], search: string, allowsOther: boolean): PickerOption[] {
  const words = search.trim().toLowerCase().split(/\s+/);
  const found = options.filter(({ value, label, detail = "" }) => {
    const text = `${label}\n${value}\n${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const other = search.trim();
  const isOther = allowsOther && other !== "" && !options.some(({ value }) => value === other);
  return isOther ? [...found, { value: other, label: other, detail: "Use this" }] : found;
}

function indexOf(options: readonly PickerOption[], value: string): number {
  return options.findIndex((option) => option.value === value);
}

/** Where a key leads: arrows, Home, End, and letters where there is no search field. */
function nextActive(
  event: KeyboardEvent,
  active: number,
  shown: readonly PickerOption[],
  hasSearch: boolean,
): number | undefined {
  const last = shown.length - 1;
  switch (event.key) {
    case "ArrowDown":
      return Math.min(last, active + 1);
    case "ArrowUp":
      return Math.max(0, active - 1);
    case "PageDown":
      return last;
    case "PageUp":
      return 0;
  }
  if (hasSearch || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  if (event.key === "Home") return 0;
  if (event.key === "End") return last;
  if (event.key.length !== 1 || event.key === " ") return undefined;
  const order = shown.map((_, index) => (active + 1 + index) % shown.length);
  return order.find((index) => shown[index]?.label.toLowerCase().startsWith(event.key.toLowerCase()));
}
