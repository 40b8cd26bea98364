// Picker of a folder on the host: recent ones, and those below what is typed.
import { ChevronDownIcon, FileDirectoryIcon } from "@primer/octicons-react";
import { ROOT_URI } from "@holdfast/ahp";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { HostConnection } from "../host/host-connection.ts";
import { useHost } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import { isComposing } from "../ui/composing.ts";
import pickerStyle from "../ui/picker.module.css";
import { Popover } from "../ui/popover.tsx";
import list from "../ui/popover.module.css";
import style from "./start-box.module.css";
import { absolutePath } from "./folder-path.ts";
import { fileUriOf, folderName } from "./session-words.ts";

export interface FolderPickerProps {
  /** An absolute path; empty: the host's default. */
  readonly folder: string;
  /** The home folder, which `~` stands for. */
  readonly defaultFolder: string;
  /** The id of the sentence that says why the folder cannot be used. */
  readonly problemId?: string | undefined;
  readonly recent: readonly string[];
  readonly onChange: (folder: string) => void;
}

export function FolderPicker(props: FolderPickerProps): ReactNode {
  const { folder, defaultFolder, problemId, recent, onChange } = props;
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const shown = folder === "" ? defaultFolder : folder;
  const close = (): void => {
    setIsOpen(false);
    anchor.current?.focus();
  };
  return (
    <>
      <button
        ref={anchor}
        type="button"
        className={pickerStyle.button}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={`Folder: ${shown === "" ? defaultName : shown}`}
        aria-describedby={problemId}
        data-wrong={problemId !== undefined}
        title={shown}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className={pickerStyle.icon} aria-hidden="true">
          <FileDirectoryIcon />
        </span>
        <span className={pickerStyle.text}>{shown === "" ? defaultName : folderName(shown)}</span>
        <span className={pickerStyle.arrow}>
          <ChevronDownIcon size={12} />
        </span>
      </button>
      {isOpen && (
        <Popover anchor={anchor} onClose={close}>
          <FolderChoices
            folder={shown}
            home={defaultFolder}
            recent={recent}
            onChoose={(chosen) => {
              close();
              onChange(chosen);
            }}
          />
        </Popover>
      )}
    </>
  );
}

/** Where the host has not said which folder it begins in. */
const defaultName = "Default folder";

interface FolderChoicesProps {
  readonly folder: string;
  readonly home: string;
  readonly recent: readonly string[];
  readonly onChoose: (folder: string) => void;
}

function FolderChoices({ folder, home, recent, onChoose }: FolderChoicesProps): ReactNode {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(folder);
  const [marked, setMarked] = useState(-1);
  const isTouched = typed !== folder;
  const found = useSubfolders(isTouched ? absolutePath(typed, home) : `${folder}/`);
  const choose = (path: string): void => onChoose(trimmed(absolutePath(path, home)));
  const choices = isTouched ? found : [...new Set([...recent, ...found])].slice(0, maxChoices);
  useEffect(() => input.current?.select(), []);
  const descend = (path: string): void => {
    setTyped(path.endsWith("/") ? path : `${path}/`);
    setMarked(-1);
    input.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const choice = choices[marked];
    if (step !== 0) setMarked(Math.max(-1, Math.min(choices.length - 1, marked + step)));
    else if (event.key === "Tab" && !event.shiftKey && choices.length > 0) {
      descend(choice ?? choices[0] ?? typed);
    } else if (event.key === "Enter") choose(choice ?? typed);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={`${list.panel} ${style.folders}`} role="dialog" aria-label="Folder">
      <div className={list.search}>
        <FileDirectoryIcon />
        <input
          ref={input}
          role="combobox"
          aria-label="Path of the folder"
          aria-expanded="true"
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={marked < 0 ? undefined : `${id}-${marked}`}
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setMarked(-1);
          }}
          onKeyDown={press}
        />
        <Button kind="primary" size="small" onClick={() => choose(typed)}>
          Use
        </Button>
      </div>
      <ul id={id} className={`${list.list} ${pickerStyle.choices}`} role="listbox" aria-label="Folders">
        {choices.map((path, index) => (
          <li
            key={path}
            id={`${id}-${index}`}
            className={list.item}
            role="option"
            aria-selected={index === marked}
            data-active={index === marked}
            onClick={() => descend(path)}
            onDoubleClick={() => choose(path)}
          >
            <span className={list.icon} aria-hidden="true">
              <FileDirectoryIcon />
            </span>
            <span className={list.texts}>
              <span className={list.label}>{folderName(path)}</span>
              <span className={list.detail}>{path}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const maxChoices = 40;
const delayMs = 120;

/** The folders in the folder that is typed, or those beside it that begin with its last part. */
function useSubfolders(typed: string): readonly string[] {
  const host = useHost();
  const [found, setFound] = useState<readonly string[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const cut = typed.lastIndexOf("/");
    const parent = typed.slice(0, cut + 1);
    const beginning = typed.slice(cut + 1).toLowerCase();
    const timer = setTimeout(() => {
      if (parent === "") return;
      void listFolders(host, parent).then((names) => {
        if (!isCurrent) return;
        const fitting = names.filter(
          (name) =>
            name.toLowerCase().startsWith(beginning) && (!name.startsWith(".") || beginning.startsWith(".")),
        );
        setFound(fitting.slice(0, maxChoices).map((name) => parent + name));
      });
    }, delayMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [host, typed]);
  return found;
}

/** The names of the folders in a folder; none where it cannot be read. */
async function listFolders(host: HostConnection, parent: string): Promise<string[]> {
  const uri = fileUriOf(parent);
  try {
    // The owner may read everywhere, but says so first: the host records it.
    await host.client.request("resourceRequest", { channel: ROOT_URI, uri, read: true });
    const { entries } = await host.client.request("resourceList", { channel: ROOT_URI, uri });
    return entries.filter(({ type }) => type === "directory").map(({ name }) => name);
  } catch {
    // A path that is not there yet, as while it is typed.
    return [];
  }
}

function trimmed(path: string): string {
  const text = path.trim();
  return text.length > 1 ? text.replace(/\/+$/, "") : text;
}
