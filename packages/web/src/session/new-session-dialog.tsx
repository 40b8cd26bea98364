// The dialog for a new session: which agent, with which model and MCP servers, where, and what it may do unasked.
import { useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from "react";
import type { ApprovalPolicy } from "@holdfast/ahp";
import { goTo } from "../frame/route.ts";
import { useConnection, useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { AgentChoice } from "./agent-choice.tsx";
import { createSession } from "./create-session.ts";
import { McpField } from "./mcp-field.tsx";
import { ModelField } from "./model-field.tsx";
import style from "./new-session-dialog.module.css";
import { policies, policyOf } from "./policy-words.ts";
import { pathOf } from "./session-words.ts";
import { useAgents } from "./use-agents.ts";
import { useMcpServers } from "./use-mcp-servers.ts";

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
  const [policy, setPolicy] = useState<ApprovalPolicy>();
  const offeredServers = useMcpServers();
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
        <McpField offered={offeredServers} chosen={mcpServers} onChange={setMcpServers} />
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
      When it wants to do something
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
