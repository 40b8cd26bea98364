// The dialog for a new session: which agent, with which model and MCP servers, where, how isolated, and what it may do unasked.
import type { ApprovalPolicy } from "@holdfast/ahp";
import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { goTo } from "../frame/route.ts";
import { useConnection, useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { type AgentModel, useAgents } from "./agent-catalogue.ts";
import { AgentChoice } from "./agent-choice.tsx";
import { createSession } from "./create-session.ts";
import style from "./new-session-dialog.module.css";
import { type OfferedIsolation, useOfferedConfig } from "./offered-config.ts";
import { levelChoice, pathOf, policies, policyOf } from "./session-words.ts";

const folderKey = "holdfast-folder";

/** The dialog; it closes when the session is there, or when it is left. */
export function NewSessionDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const host = useHost();
  const { status } = useConnection();
  const dialog = useRef<HTMLDialogElement>(null);
  const agents = useAgents();
  const [provider, setProvider] = useState("shell");
  const [model, setModel] = useState("");
  const [folder, setFolder] = useState(() => localStorage.getItem(folderKey) ?? "");
  const [policy, setPolicy] = useState<ApprovalPolicy | undefined>("ask");
  const offered = useOfferedConfig();
  const [isolation, setIsolation] = useState<string>();
  const [mcpServers, setMcpServers] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const defaultFolder = status.status === "connected" ? pathOf(status.host.defaultDirectory) : "";
  const chosen = agents.status === "known" ? agents.agents.find(({ id }) => id === provider) : undefined;

  useEffect(() => {
    dialog.current?.showModal();
  }, []);

  const choose = (id: string): void => {
    setProvider(id);
    // The models of one agent are nothing to another.
    setModel("");
  };
  const create = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault();
    setIsBusy(true);
    try {
      const wanted = folder.trim();
      const session = await createSession(host, {
        provider,
        folder: wanted === "" ? undefined : wanted,
        model: model.trim() === "" ? undefined : model.trim(),
        policy,
        mcpServers,
        isolation,
      });
      localStorage.setItem(folderKey, wanted);
      onClose();
      goTo({ place: "session", session });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setIsBusy(false);
    }
  };

  return (
    <dialog ref={dialog} className={style.dialog} aria-labelledby="new-session" onClose={onClose}>
      <form className={style.form} onSubmit={(event) => void create(event)}>
        <h2 id="new-session">New session</h2>
        <AgentChoice agents={agents} chosen={provider} onChoose={choose} />
        <ModelField model={model} offered={chosen?.models ?? []} onChange={setModel} />
        <FolderField folder={folder} defaultFolder={defaultFolder} onChange={setFolder} />
        <PolicyField policy={policy} onChoose={setPolicy} />
        <IsolationField offered={offered.isolation} chosen={isolation} onChoose={setIsolation} />
        <McpField offered={offered.mcpServers} chosen={mcpServers} onChange={setMcpServers} />
        {problem !== undefined && (
          <p role="alert" className={style.problem}>
            {problem}
          </p>
        )}
        <div className={style.buttons}>
          <button type="button" className={control.button} onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            className={control.primary}
            disabled={isBusy || status.status !== "connected"}
          >
            {isBusy ? "Opening …" : "Open session"}
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface FolderFieldProps {
  readonly folder: string;
  readonly defaultFolder: string;
  readonly onChange: (folder: string) => void;
}

function FolderField({ folder, defaultFolder, onChange }: FolderFieldProps): ReactNode {
  return (
    <label className={style.label}>
      Folder
      <input
        className={control.field}
        value={folder}
        placeholder={defaultFolder === "" ? "the host's own choice" : defaultFolder}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

interface PolicyFieldProps {
  readonly policy: ApprovalPolicy | undefined;
  readonly onChoose: (policy: ApprovalPolicy | undefined) => void;
}

function PolicyField({ policy, onChoose }: PolicyFieldProps): ReactNode {
  return (
    <label className={style.label}>
      Permissions
      <select
        className={control.field}
        value={policy ?? ""}
        onChange={(event) => onChoose(policyOf(event.target.value))}
      >
        {policies.map(({ value, words }) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface IsolationFieldProps {
  readonly offered: OfferedIsolation | undefined;
  readonly chosen: string | undefined;
  readonly onChoose: (level: string) => void;
}

/** The meaning of a level is written below it; nothing where the host offers no choice. */
function IsolationField({ offered, chosen, onChoose }: IsolationFieldProps): ReactNode {
  const sentenceId = useId();
  if (offered === undefined) return null;
  const level = chosen ?? offered.level;
  return (
    <label className={style.label}>
      Isolation
      <select
        className={control.field}
        value={level}
        aria-describedby={sentenceId}
        onChange={(event) => onChoose(event.target.value)}
      >
        {offered.choices.map((choice) => (
          <option key={choice} value={choice}>
            {levelChoice(choice).name}
          </option>
        ))}
      </select>
      <span id={sentenceId} className={style.sentence}>
        {levelChoice(level).sentence}
      </span>
    </label>
  );
}

interface ModelFieldProps {
  readonly model: string;
  readonly offered: readonly AgentModel[];
  readonly onChange: (model: string) => void;
}

function ModelField({ model, offered, onChange }: ModelFieldProps): ReactNode {
  const listId = useId();
  return (
    <label className={style.label}>
      Model
      <input
        className={control.field}
        list={listId}
        value={model}
        placeholder="the agent's own choice"
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {offered.map(({ id, name }) => (
          <option key={id} value={id} label={name} />
        ))}
      </datalist>
    </label>
  );
}

interface McpFieldProps {
  readonly offered: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A box for each server; nothing where there is none. */
function McpField({ offered, chosen, onChange }: McpFieldProps): ReactNode {
  if (offered.length === 0) return null;
  return (
    <fieldset className={style.servers}>
      <legend>MCP servers</legend>
      {offered.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
            }
          />{" "}
          {name}
        </label>
      ))}
    </fieldset>
  );
}
