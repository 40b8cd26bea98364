// Start of a session: one box for what is wanted, and pickers beneath for the agent, the folder and the settings.
import { ArrowUpIcon, ContainerIcon, CpuIcon, HubotIcon, PlugIcon, ShieldIcon } from "@primer/octicons-react";
import type { SessionSummary } from "@holdfast/ahp";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useState } from "react";
import { keepDraft, readDraft } from "../chat/draft-store.ts";
import { hasTouchKeyboard } from "../chat/message-focus.ts";
import { goTo } from "../frame/route.ts";
import { useConnection, useHost } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import { isComposing } from "../ui/composing.ts";
import { Toggle } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { Picker } from "../ui/picker.tsx";
import { type Agents, type CatalogueAgent, readinessWords, useAgents } from "./agent-catalogue.ts";
import { createSession } from "./create-session.ts";
import { useFolderProblem } from "./folder-path.ts";
import { FolderPicker } from "./folder-picker.tsx";
import { MissingAgents } from "./missing-agents.tsx";
import { type OfferedIsolation, useOfferedConfig } from "./offered-config.ts";
import { pageSettings } from "../stats/settings.ts";
import { levelChoice, pathOf, policies, policyOf } from "./session-words.ts";
import style from "./start-box.module.css";

const folderKey = "holdfast-folder";
const agentKey = "holdfast-agent";

interface StartBoxProps {
  /** Where earlier sessions worked. */
  readonly sessions: readonly SessionSummary[];
  /** The agent that is chosen at first; undefined: that of the settings, or the last one used. */
  readonly agent?: string | undefined;
  /** In a dialog there is more to read. */
  readonly isDetailed?: boolean;
  readonly onStarted?: (() => void) | undefined;
}

/** The agent of the settings, else the last one used. */
function firstAgent(): string {
  const { agent } = pageSettings();
  return agent === "" ? (localStorage.getItem(agentKey) ?? "") : agent;
}

export function StartBox({ sessions, agent: wanted, isDetailed, onStarted }: StartBoxProps): ReactNode {
  const host = useHost();
  const { status } = useConnection();
  const agents = useAgents();
  const offered = useOfferedConfig();
  const [text, write] = usePrompt();
  const [agentId, setAgentId] = useState(() => wanted ?? firstAgent());
  const [model, setModel] = useState("");
  const [folder, setFolder] = useState(() => localStorage.getItem(folderKey) ?? "");
  const [policy, setPolicy] = useState(() => policyOf(pageSettings().policy));
  const [isolation, setIsolation] = useState<string>();
  const [mcpServers, setMcpServers] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const agent = chosenAgent(agents, agentId);
  const level = isolation ?? offered.isolation?.level;
  const folderProblem = useFolderProblem(folder);
  const problemId = useId();
  const isReady =
    !isBusy && agent !== undefined && status.status === "connected" && folderProblem === undefined;
  const start = async (): Promise<void> => {
    if (!isReady) return;
    setIsBusy(true);
    try {
      const session = await createSession(host, {
        provider: agent.id,
        folder: folder === "" ? undefined : folder,
        model: model === "" ? undefined : model,
        policy,
        mcpServers,
        isolation,
        firstMessage: text.trim() === "" ? undefined : text,
      });
      localStorage.setItem(folderKey, folder);
      localStorage.setItem(agentKey, agent.id);
      if (readDraft(promptName) === text) write("");
      onStarted?.();
      goTo({ place: "session", session });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setIsBusy(false);
    }
  };
  const chooseAgent = (id: string): void => {
    setAgentId(id);
    // The models of one agent are nothing to another.
    setModel("");
  };
  const box = { text, agent, isReady, isBusy, onChange: write, onStart: () => void start() };
  return (
    <div className={style.start}>
      <PromptBox {...box}>
        <AgentPicker agents={agents} agent={agent} onChoose={chooseAgent} />
        <FolderPicker
          folder={folder}
          defaultFolder={status.status === "connected" ? pathOf(status.host.defaultDirectory) : ""}
          problemId={folderProblem === undefined ? undefined : problemId}
          recent={useRecentFolders(sessions)}
          onChange={setFolder}
        />
        <ModelPicker agent={agent} model={model} onChange={setModel} />
        <Picker
          label="Permissions"
          icon={<ShieldIcon />}
          value={policy ?? ""}
          options={policies}
          onChange={(value) => setPolicy(policyOf(value))}
        />
        <IsolationPicker offered={offered.isolation} level={level} onChange={setIsolation} />
      </PromptBox>
      <FolderProblem id={problemId} text={folderProblem} />
      {isDetailed && level !== undefined && <p className={style.hint}>{levelChoice(level).sentence}</p>}
      <McpServers offered={offered.mcpServers} chosen={mcpServers} onChange={setMcpServers} />
      <StartProblem text={problem} />
      {(isDetailed === true || agent === undefined) && (
        <MissingAgents agents={agents} isOpen={agent === undefined} />
      )}
    </div>
  );
}

const promptName = "new-session";
const prompts = new Set<(text: string) => void>();

/** The first message, which the box of the home page and that of the dialog have in common. */
function usePrompt(): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft(promptName));
  useEffect(() => {
    prompts.add(setText);
    return () => void prompts.delete(setText);
  }, []);
  const write = (written: string): void => {
    keepDraft(promptName, written);
    for (const show of prompts) show(written);
  };
  return [text, write];
}

function FolderProblem({ id, text }: { readonly id: string; readonly text: string | undefined }): ReactNode {
  if (text === undefined) return null;
  return (
    <p id={id} className={style.wrong} role="alert">
      {text}
    </p>
  );
}

/** The host's objection to the session. */
function StartProblem({ text }: { readonly text: string | undefined }): ReactNode {
  if (text === undefined) return null;
  return (
    <Notice kind="problem" isAlert>
      {text}
    </Notice>
  );
}

interface IsolationPickerProps {
  readonly offered: OfferedIsolation | undefined;
  readonly level: string | undefined;
  readonly onChange: (level: string) => void;
}

/** Nothing where the host offers no choice. */
function IsolationPicker({ offered, level, onChange }: IsolationPickerProps): ReactNode {
  if (offered === undefined || level === undefined) return null;
  return (
    <Picker
      label="Isolation"
      icon={<ContainerIcon />}
      value={level}
      options={offered.choices.map((choice) => {
        const { name, sentence } = levelChoice(choice);
        return { value: choice, label: name, detail: sentence };
      })}
      onChange={onChange}
    />
  );
}

/** The agent that was chosen or used last; else the first that is ready, the shell last. */
function chosenAgent(agents: Agents, id: string): CatalogueAgent | undefined {
  if (agents.status !== "known") return undefined;
  const installed = agents.agents.filter((agent) => agent.installed);
  return (
    installed.find((agent) => agent.id === id) ??
    installed.find((agent) => agent.authReady && agent.id !== "shell") ??
    installed.find((agent) => agent.id === "shell") ??
    installed[0]
  );
}

interface PromptBoxProps {
  readonly text: string;
  readonly agent: CatalogueAgent | undefined;
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly onChange: (text: string) => void;
  readonly onStart: () => void;
  /** The pickers. */
  readonly children: ReactNode;
}

function PromptBox({ text, agent, isReady, isBusy, onChange, onStart, children }: PromptBoxProps): ReactNode {
  const hintId = useId();
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (isComposing(event.nativeEvent)) return;
    // So that the shortcuts of the page work again.
    if (event.key === "Escape") event.currentTarget.blur();
    if (event.key !== "Enter" || event.shiftKey || event.repeat) return;
    event.preventDefault();
    onStart();
  };
  const label = isBusy ? "Opening…" : text.trim() === "" ? "Open session" : "Start";
  return (
    <div className={style.box}>
      <textarea
        className={style.field}
        aria-label="What do you want done?"
        aria-describedby={hintId}
        placeholder={agent?.id === "shell" ? "A command, such as ls -la" : "Describe what you want done"}
        rows={2}
        value={text}
        autoFocus={!hasTouchKeyboard}
        data-autofocus={!hasTouchKeyboard || undefined}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={press}
      />
      <span id={hintId} className="hidden-label">
        Enter starts the session
      </span>
      <div className={style.toolbar}>
        <div className={style.pickers}>{children}</div>
        <Button kind="primary" icon={<ArrowUpIcon />} disabled={!isReady} onClick={onStart}>
          {label}
        </Button>
      </div>
    </div>
  );
}

interface AgentPickerProps {
  readonly agents: Agents;
  readonly agent: CatalogueAgent | undefined;
  readonly onChoose: (id: string) => void;
}

function AgentPicker({ agents, agent, onChoose }: AgentPickerProps): ReactNode {
  const known = agents.status === "known" ? agents.agents.filter(({ installed }) => installed) : [];
  return (
    <Picker
      label="Agent"
      icon={<HubotIcon />}
      placeholder={withoutAgentWords(agents)}
      isDisabled={known.length === 0}
      value={agent?.id ?? ""}
      options={known.map((each) => ({
        value: each.id,
        label: each.label,
        detail: readinessWords(each),
      }))}
      onChange={onChoose}
    />
  );
}

/** Says why no agent can be chosen. */
function withoutAgentWords(agents: Agents): string {
  switch (agents.status) {
    case "loading":
      return "Looking for agents…";
    case "unknown":
      return agents.reason;
    case "known":
      return "No agent is installed";
  }
}

interface ModelPickerProps {
  readonly agent: CatalogueAgent | undefined;
  readonly model: string;
  readonly onChange: (model: string) => void;
}

function ModelPicker({ agent, model, onChange }: ModelPickerProps): ReactNode {
  if (agent === undefined || agent.id === "shell") return null;
  const models = (agent.models ?? []).map(({ id, name }) => ({
    value: id,
    label: name ?? id,
    detail: name === undefined || name === id ? undefined : id,
  }));
  return (
    <Picker
      label="Model"
      icon={<CpuIcon />}
      value={model}
      allowsOther
      options={[{ value: "", label: "Default model" }, ...models]}
      onChange={(chosen) => onChange(chosen.trim())}
    />
  );
}

interface McpServersProps {
  readonly offered: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A box for each server; nothing where there is none. */
function McpServers({ offered, chosen, onChange }: McpServersProps): ReactNode {
  if (offered.length === 0) return null;
  return (
    <div className={style.servers} role="group" aria-label="MCP servers">
      <PlugIcon />
      {offered.map((name) => (
        <Toggle
          key={name}
          label={name}
          isOn={chosen.includes(name)}
          onChange={(isOn) => onChange(isOn ? [...chosen, name] : chosen.filter((each) => each !== name))}
        />
      ))}
    </div>
  );
}

const maxRecent = 8;

/** The folders of the sessions, the last used first. */
function useRecentFolders(sessions: readonly SessionSummary[]): readonly string[] {
  return useMemo(() => {
    const newestFirst = sessions.toSorted((one, other) =>
      other.lastActivityAt.localeCompare(one.lastActivityAt),
    );
    const folders = newestFirst.map(({ workingDirectories }) => pathOf(workingDirectories[0]));
    return [...new Set(folders)].filter((folder) => folder !== "").slice(0, maxRecent);
  }, [sessions]);
}
