// What is set in an agent's session: its model, its mode, its own options; each checked against what it offers.
import type { ConfigOption, SessionAction, SessionState } from "@holdfast/ahp";
import { RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import type { AcpConfigOption, AcpSessionResult } from "../agent/acp.ts";
import type { AgentConnection } from "../agent/agent-connection.ts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import { findLaunchChoice, findModelOption } from "../agent/model-choice.ts";
import type { ReportedModels } from "../agent/reported-models.ts";
import type { Redact } from "../agent/stderr-tail.ts";
import {
  LEGACY_MODEL_OPTION_ID,
  readConfigOptions,
  readModels,
  readModes,
} from "../agent/session-updates.ts";

/** An agent that has a session open. */
export interface ReadyAgent {
  readonly agent: AgentConnection;
  readonly sessionId: string;
}

/** What can be wished for in an agent's session. */
export interface SettingWishes {
  readonly model?: string | undefined;
  readonly runtimeMode?: string | undefined;
  readonly extras?: Readonly<Record<string, string>> | undefined;
}

/** What became of the wish for a model: it is set, it needs a new start of the agent, or nothing can be done. */
export type ModelEffect = "set" | "at-launch" | "none";

/** What the settings need of their session. */
export interface SettingsOwner {
  readonly entry: AgentEntry;
  readonly state: SessionState;
  tell(action: SessionAction): void;
  warn(message: string): void;
}

/** The settings of one session's agent. */
export class AgentSettings {
  readonly #owner: SettingsOwner;
  readonly #models: ReportedModels;
  readonly #redact: Redact;

  constructor(owner: SettingsOwner, models: ReportedModels, redact: Redact) {
    this.#owner = owner;
    this.#models = models;
    this.#redact = redact;
  }

  /** Whether the agent offers a choice of models in its session; undefined as long as it has had none. */
  get offersModels(): boolean | undefined {
    return this.#owner.state.agent === undefined ? undefined : this.#modelOption !== undefined;
  }

  /** Tells what the agent offers in a session that it has opened. */
  tellOffers({ modes, models, configOptions }: AcpSessionResult): void {
    if (modes !== undefined && modes !== null) {
      this.#owner.tell({ type: "session/modesChanged", modes: readModes(modes) });
    }
    const options = readConfigOptions(configOptions ?? []);
    const hasOwnModels = findModelOption(this.#owner.entry, options) !== undefined;
    if (models !== undefined && models !== null && !hasOwnModels) {
      this.#tellOptions([readModels(models), ...options]);
    } else if (configOptions !== undefined && configOptions !== null) this.#tellOptions(options);
  }

  /** Throws if a wish is known to be none that the agent can fulfil. */
  check({ model, runtimeMode, extras = {} }: SettingWishes): void {
    const { state } = this.#owner;
    // What it offers is not known before it was there once.
    if (state.agent === undefined) return;
    const option = this.#modelOption;
    if (model !== undefined && option !== undefined) checkValue("model", option, model);
    if (runtimeMode !== undefined) this.#checkMode(runtimeMode);
    for (const [id, value] of Object.entries(extras)) checkValue(id, this.#findOption(id), value);
  }

  /** Whether a model can only be had by starting the agent anew. */
  needsRestartFor(model: string, launchedModel: string | undefined): boolean {
    const isAtLaunch =
      this.#modelOption === undefined && findLaunchChoice(this.#owner.entry, false) !== undefined;
    return isAtLaunch && model !== launchedModel;
  }

  /** Sets what is wished for; the first wish that the agent refuses is an error. */
  async set(ready: ReadyAgent, wishes: SettingWishes, launchedModel?: string): Promise<ModelEffect> {
    const { model, runtimeMode, extras = {} } = wishes;
    const effect = model === undefined ? "set" : await this.setModel(ready, model, launchedModel);
    if (runtimeMode !== undefined) await this.setMode(ready, runtimeMode);
    for (const [id, value] of Object.entries(extras)) await this.setOption(ready, id, value);
    return effect;
  }

  /** Sets again what held before; what the agent no longer offers is told, and harms nothing. */
  async restore(ready: ReadyAgent, wishes: SettingWishes, launchedModel?: string): Promise<ModelEffect> {
    const { model, runtimeMode, extras = {} } = wishes;
    let effect: ModelEffect = "set";
    await this.#tolerate(async () => {
      if (model !== undefined) effect = await this.setModel(ready, model, launchedModel);
    });
    await this.#tolerate(async () => {
      if (runtimeMode === undefined || runtimeMode === this.#currentMode) return;
      await this.setMode(ready, runtimeMode);
    });
    for (const [id, value] of Object.entries(extras)) {
      await this.#tolerate(() => this.setOption(ready, id, value));
    }
    return effect;
  }

  /** Sets the model by the agent's option for it, and makes sure that it is in force. */
  async setModel(ready: ReadyAgent, model: string, launchedModel?: string): Promise<ModelEffect> {
    const { entry } = this.#owner;
    const option = this.#modelOption;
    if (option === undefined) {
      if (model === launchedModel) {
        this.#owner.warn(
          `${entry.label} was started with the model '${model}' and does not say which it uses`,
        );
        return "set";
      }
      if (this.needsRestartFor(model, launchedModel)) return "at-launch";
      this.#owner.warn(`${entry.label} offers no choice of models: '${model}' has no effect`);
      return "none";
    }
    if (option.currentValue === model) return "set";
    checkValue("model", option, model);
    await this.setOption(ready, option.id, model, "model");
    const kept = this.#modelOption?.currentValue;
    if (kept === model) return "set";
    throw new HostError(
      "ACP_INVALID_OPTION",
      `model: ${entry.label} stays with '${kept}' instead of '${model}'.`,
    );
  }

  /** Sets a mode: by the agent's option for modes where it has one, else by the older method. */
  async setMode(ready: ReadyAgent, mode: string): Promise<void> {
    const option = this.#modeOption;
    if (option !== undefined) return this.setOption(ready, option.id, mode, "runtimeMode");
    this.#checkMode(mode);
    await this.#refusable("runtimeMode", mode, ready.agent.setMode(ready.sessionId, mode));
    this.#owner.tell({ type: "session/modeChanged", modeId: mode });
  }

  /** Sets one of the options that the agent offers; `name` is what whoever asked for it calls it. */
  async setOption({ agent, sessionId }: ReadyAgent, id: string, value: string, name = id): Promise<void> {
    const option = this.#findOption(id);
    checkValue(name, option, value);
    if (id === LEGACY_MODEL_OPTION_ID) {
      await this.#refusable(name, value, agent.setModel(sessionId, value));
      return this.#owner.tell({ type: "session/configChanged", config: { [id]: value } });
    }
    const wanted = option.type === "boolean" ? value === "true" : value;
    const answer = agent.setConfigOption(sessionId, id, wanted);
    const { configOptions } = await this.#refusable(name, value, answer);
    if (configOptions === undefined || configOptions === null) {
      return this.#owner.tell({ type: "session/configChanged", config: { [id]: wanted } });
    }
    this.#tellOptions(this.#withLegacyModels(configOptions));
    const kept = this.#owner.state.configOptions.find((candidate) => candidate.id === id)?.currentValue;
    if (kept !== wanted) this.#owner.warn(`${id} was set to '${value}', and the agent says it is '${kept}'`);
  }

  get #modelOption(): ReturnType<typeof findModelOption> {
    const { entry, state } = this.#owner;
    return findModelOption(entry, state.configOptions);
  }

  get #modeOption(): ConfigOption | undefined {
    return this.#owner.state.configOptions.find(({ category }) => category === "mode");
  }

  get #currentMode(): string | undefined {
    const option = this.#modeOption;
    return option === undefined ? this.#owner.state.modes?.currentModeId : String(option.currentValue);
  }

  #findOption(id: string): ConfigOption {
    const { configOptions } = this.#owner.state;
    const option = configOptions.find((candidate) => candidate.id === id);
    if (option !== undefined) return option;
    throw new HostError(
      "ACP_INVALID_OPTION",
      `extras: this agent has no option '${id}'. It has: ${list(configOptions.map((known) => known.id))}.`,
    );
  }

  #checkMode(mode: string): void {
    const option = this.#modeOption;
    if (option !== undefined) return checkValue("runtimeMode", option, mode);
    const available = this.#owner.state.modes?.available ?? [];
    if (available.some(({ id }) => id === mode)) return;
    throw new HostError(
      "ACP_INVALID_OPTION",
      `runtimeMode: this agent has no mode '${mode}'. It has: ${list(available.map(({ id }) => id))}.`,
    );
  }

  /** An answer with the agent's options says nothing of models that it tells apart from them. */
  #withLegacyModels(options: readonly AcpConfigOption[]): ConfigOption[] {
    const legacy = this.#owner.state.configOptions.filter(({ id }) => id === LEGACY_MODEL_OPTION_ID);
    return [...legacy, ...readConfigOptions(options)];
  }

  #tellOptions(configOptions: readonly ConfigOption[]): void {
    this.#owner.tell({ type: "session/configOptionsChanged", configOptions });
    const option = this.#modelOption;
    if (option !== undefined) this.#models.note(this.#owner.entry.id, option);
  }

  /** What the agent itself refuses is the caller's mistake; what goes wrong with the connection is not. */
  async #refusable<Result>(name: string, value: string, answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      const words = this.#redact(cause.message);
      throw new HostError("ACP_INVALID_OPTION", `${name}: the agent refuses '${value}': ${words}`, { cause });
    }
  }

  async #tolerate(set: () => Promise<void>): Promise<void> {
    try {
      await set();
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const { code, message } = error;
      this.#owner.warn(`A setting could not be restored: ${message}`);
      this.#owner.tell({ type: "session/errorReported", error: { code, message } });
    }
  }
}

function checkValue(name: string, option: ConfigOption, value: string): void {
  const values = option.type === "boolean" ? ["true", "false"] : option.choices.map((choice) => choice.value);
  if (values.includes(value)) return;
  throw new HostError("ACP_INVALID_OPTION", `${name} cannot be '${value}'. It can be: ${list(values)}.`, {
    details: { option: option.id },
  });
}

/** Names for a sentence; some agents offer hundreds. */
function list(names: readonly string[]): string {
  const most = 20;
  if (names.length === 0) return "none";
  const more = names.length > most ? `, and ${names.length - most} more` : "";
  return `${names.slice(0, most).join(", ")}${more}`;
}
