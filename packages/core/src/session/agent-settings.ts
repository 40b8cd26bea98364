// Settings of an agent's session: its model, its mode, its own options; each checked against what it offers.
import type { ApprovalPolicy, ConfigOption } from "@holdfast/ahp";
import { RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import type { AcpConfigOption, AcpSessionResult } from "../agent/acp.ts";
import type { AgentConnection } from "../agent/agent-connection.ts";
import {
  findLaunchChoice,
  findModelOption,
  findOfferedModel,
  type SelectOption,
} from "../agent/known-models.ts";
import type { Redact } from "../agent/agent-output.ts";
import {
  LEGACY_MODEL_OPTION_ID,
  readConfigOptions,
  readModels,
  readModes,
} from "../agent/session-updates.ts";
import type { SessionContext } from "./session-context.ts";

/** An agent that has a session open. */
export interface ReadyAgent {
  readonly agent: AgentConnection;
  readonly sessionId: string;
}

/** Requested settings of an agent's session. */
export interface RequestedSettings {
  readonly model?: string | undefined;
  readonly runtimeMode?: string | undefined;
  readonly extras?: Readonly<Record<string, string>> | undefined;
  /** An agent that does not ask is put into a mode in which it does. */
  readonly approvalPolicy?: ApprovalPolicy | undefined;
}

/** The result of a request for a model: it is set, it needs a restart of the agent, or it has no effect. */
export type ModelEffect = "set" | "at-launch" | "none";

/** Parts of the session's context that the settings need. */
export type SettingsContext = Pick<SessionContext, "entry" | "state" | "publish" | "warn"> & {};

/** Parts of the host that the settings need. */
export interface SettingsParts {
  readonly redact: Redact;
  /** The configuration's model, which need not fit every agent. */
  readonly defaultModel: string | undefined;
  /** Learns which models the agent offers. */
  readonly noteModels: (option: SelectOption) => void;
}

/** The settings of one session's agent. */
export class AgentSettings {
  readonly #context: SettingsContext;
  readonly #noteModels: (option: SelectOption) => void;
  readonly #redact: Redact;
  readonly #defaultModel: string | undefined;

  constructor(context: SettingsContext, { noteModels, redact, defaultModel }: SettingsParts) {
    this.#context = context;
    this.#defaultModel = defaultModel;
    this.#noteModels = noteModels;
    this.#redact = redact;
  }

  /** Whether the agent offers the session's model in its sessions; undefined as long as it has had none. */
  get offersModel(): boolean | undefined {
    const { entry, state } = this.#context;
    if (state.agent === undefined) return undefined;
    const option = this.#modelOption;
    const { model } = state.runtimeOptions;
    return (
      option !== undefined && (model === undefined || findOfferedModel(entry, option, model) !== undefined)
    );
  }

  /** Tells what the agent offers in a session that it has opened. */
  publishOffers({ modes, models, configOptions }: AcpSessionResult): void {
    if (modes !== undefined && modes !== null) {
      this.#context.publish({ type: "session/modesChanged", modes: readModes(modes) });
    }
    const options = readConfigOptions(configOptions ?? []);
    const hasOwnModels = findModelOption(options, this.#context.entry) !== undefined;
    if (models !== undefined && models !== null && !hasOwnModels) {
      this.#publishOptions([readModels(models), ...options]);
    } else if (configOptions !== undefined && configOptions !== null) this.#publishOptions(options);
  }

  /** The settings that a request changes; throws if one of them is known to be impossible. */
  findChanges(requested: RequestedSettings): RequestedSettings {
    const { runtimeOptions } = this.#context.state;
    const { model, runtimeMode, approvalPolicy } = requested;
    // The mode and the policy depend on each other.
    const wanted =
      runtimeMode === undefined && approvalPolicy === undefined
        ? requested
        : {
            ...requested,
            runtimeMode: runtimeMode ?? runtimeOptions.runtimeMode,
            approvalPolicy: approvalPolicy ?? runtimeOptions.approvalPolicy,
          };
    this.#check(wanted);
    return model === runtimeOptions.model ? { ...wanted, model: undefined } : wanted;
  }

  #check(requested: RequestedSettings): void {
    const { model, runtimeMode, extras = {} } = requested;
    const { state } = this.#context;
    // Its options are unknown until it has run once.
    if (state.agent === undefined) return;
    if (model !== undefined) this.#checkModel(model);
    if (runtimeMode !== undefined) this.#checkMode(runtimeMode);
    this.#modeFor(requested);
    for (const [id, value] of Object.entries(extras)) checkValue(id, this.#findOption(id), value);
  }

  /** Those of the preferred settings that the agent offers, besides what the session has chosen already. */
  offered(
    preferences: Readonly<Record<string, string>>,
  ): Pick<RequestedSettings, "runtimeMode"> & { readonly extras?: Readonly<Record<string, string>> } {
    const { configOptions, runtimeOptions } = this.#context.state;
    const { mode, ...others } = preferences;
    const extras = Object.entries(others).filter(([id, value]) =>
      configOptions.some((option) => option.id === id && valuesOf(option).includes(value)),
    );
    const hasMode = mode !== undefined && this.#offeredModes.includes(mode);
    return {
      ...(hasMode && runtimeOptions.runtimeMode === undefined && { runtimeMode: mode }),
      ...(extras.length > 0 && { extras: { ...Object.fromEntries(extras), ...runtimeOptions.extras } }),
    };
  }

  /** Whether a model needs a restart of the agent. */
  needsRestartFor(model: string, launchedModel: string | undefined): boolean {
    const isAtLaunch =
      this.#modelOption === undefined && findLaunchChoice(this.#context.entry, false) !== undefined;
    return isAtLaunch && model !== launchedModel;
  }

  /** Applies the requested settings; the first that the agent rejects is an error. */
  async set(ready: ReadyAgent, requested: RequestedSettings, launchedModel?: string): Promise<ModelEffect> {
    const { model, extras = {} } = requested;
    const runtimeMode = this.#modeFor(requested);
    const effect = model === undefined ? "set" : await this.setModel(ready, model, launchedModel);
    if (runtimeMode !== undefined && runtimeMode !== this.#currentMode) {
      await this.setMode(ready, runtimeMode);
    }
    for (const [id, value] of Object.entries(extras)) await this.setOption(ready, id, value);
    return effect;
  }

  /** Restores the earlier settings; one that the agent no longer offers is reported, and fails nothing. */
  async restore(
    ready: ReadyAgent,
    requested: RequestedSettings,
    launchedModel?: string,
  ): Promise<ModelEffect> {
    const { model, extras = {} } = requested;
    let effect: ModelEffect = "set";
    await this.#tolerate(async () => {
      if (model !== undefined) effect = await this.setModel(ready, model, launchedModel);
    });
    await this.#tolerate(async () => {
      const runtimeMode = this.#modeFor(requested);
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
    const { entry } = this.#context;
    const option = this.#modelOption;
    if (option === undefined) {
      if (model === launchedModel) {
        this.#context.warn(
          `${entry.label} was started with the model '${model}' and does not say which it uses`,
        );
        return "set";
      }
      if (this.needsRestartFor(model, launchedModel)) return "at-launch";
      if (model !== this.#defaultModel) throw this.#noModels(model);
      this.#context.warn(`${entry.label} offers no choice of models: the default '${model}' has no effect`);
      return "none";
    }
    const offered = findOfferedModel(entry, option, model);
    if (option.currentValue === offered) return "set";
    if (offered !== undefined) {
      await this.setOption(ready, option.id, offered, "model");
      return "set";
    }
    // Some agents offer a model only once they were started with it.
    const canLaunch = findLaunchChoice(entry, false) !== undefined && model !== launchedModel;
    if (!canLaunch) checkValue("model", option, model);
    return "at-launch";
  }

  /** Sets a mode: by the agent's option for modes where it has one, else by the older method. */
  async setMode(ready: ReadyAgent, mode: string): Promise<void> {
    const option = this.#modeOption;
    if (option !== undefined) return this.setOption(ready, option.id, mode, "runtimeMode");
    this.#checkMode(mode);
    const before = this.#currentMode;
    await this.#refusable("runtimeMode", mode, ready.agent.setMode(ready.sessionId, mode));
    // The response is empty; an agent that chose another value has reported it in an update.
    const now = this.#currentMode;
    if (now !== before) this.#checkKept("runtimeMode", mode, now);
    this.#context.publish({ type: "session/modeChanged", modeId: mode });
  }

  /** Sets one of the options that the agent offers; `name` is the caller's name for it. */
  async setOption({ agent, sessionId }: ReadyAgent, id: string, value: string, name = id): Promise<void> {
    const option = this.#findOption(id);
    checkValue(name, option, value);
    if (id === LEGACY_MODEL_OPTION_ID) {
      const answer = await this.#refusable(name, value, agent.setModel(sessionId, value));
      this.#checkKept(name, value, answer?.models?.currentModelId ?? value);
      return this.#context.publish({ type: "session/configChanged", config: { [id]: value } });
    }
    const wanted = option.type === "boolean" ? value === "true" : value;
    const answer = agent.setConfigOption(sessionId, id, wanted);
    const { configOptions } = await this.#refusable(name, value, answer);
    if (configOptions === undefined || configOptions === null) {
      return this.#context.publish({ type: "session/configChanged", config: { [id]: wanted } });
    }
    this.#publishOptions(this.#withLegacyModels(configOptions));
    this.#checkKept(
      name,
      value,
      this.#context.state.configOptions.find((candidate) => candidate.id === id)?.currentValue,
    );
  }

  /** A setting that the agent accepted but does not use is an error (N39). */
  #checkKept(name: string, wanted: string, kept: string | boolean | undefined): void {
    if (kept !== undefined && String(kept) === wanted) return;
    const { label } = this.#context.entry;
    throw new HostError(
      "ACP_INVALID_OPTION",
      `${name}: ${label} still uses '${kept}' instead of '${wanted}'.`,
    );
  }

  #checkModel(model: string): void {
    const { entry } = this.#context;
    const option = this.#modelOption;
    if (option === undefined) {
      if (findLaunchChoice(entry, false) === undefined) throw this.#noModels(model);
    } else if (findOfferedModel(entry, option, model) === undefined) checkValue("model", option, model);
  }

  #noModels(model: string): HostError {
    const { label } = this.#context.entry;
    return new HostError(
      "ACP_INVALID_OPTION",
      `model: ${label} offers no choice of models, so '${model}' would have no effect.`,
    );
  }

  get #modelOption(): ReturnType<typeof findModelOption> {
    const { entry, state } = this.#context;
    return findModelOption(state.configOptions, entry);
  }

  /**
   * The mode for what is requested: a policy under which people are asked needs one in which the agent asks.
   * `deny-all` is refused where nothing would keep the agent from acting.
   */
  #modeFor({ approvalPolicy, runtimeMode }: RequestedSettings): string | undefined {
    const { entry, state } = this.#context;
    if (entry.asks || approvalPolicy === undefined || approvalPolicy === "approve-all") return runtimeMode;
    const mode = runtimeMode ?? entry.askModes.find((each) => this.#offeredModes.includes(each));
    const isKept = mode !== undefined && entry.askModes.includes(mode);
    if (approvalPolicy !== "deny-all" || isKept || state.isolation?.level === "workspace") return mode;
    const remedy =
      entry.askModes.length === 0
        ? "Choose another agent, or isolate the session: set isolation to workspace."
        : `Set runtimeMode to ${entry.askModes.join(" or ")}, or isolate the session: set isolation to workspace.`;
    throw new HostError(
      "ACP_AGENT_DOES_NOT_ASK",
      `approvalPolicy: ${entry.label} acts without asking, so deny-all would deny nothing. ${remedy}`,
    );
  }

  get #offeredModes(): readonly string[] {
    const option = this.#modeOption;
    if (option?.type === "select") return option.choices.map(({ value }) => value);
    return this.#context.state.modes?.available.map(({ id }) => id) ?? [];
  }

  get #modeOption(): ConfigOption | undefined {
    return this.#context.state.configOptions.find(({ category }) => category === "mode");
  }

  get #currentMode(): string | undefined {
    const option = this.#modeOption;
    return option === undefined ? this.#context.state.modes?.currentModeId : String(option.currentValue);
  }

  #findOption(id: string): ConfigOption {
    const { configOptions } = this.#context.state;
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
    const available = this.#context.state.modes?.available ?? [];
    if (available.some(({ id }) => id === mode)) return;
    throw new HostError(
      "ACP_INVALID_OPTION",
      `runtimeMode: this agent has no mode '${mode}'. It has: ${list(available.map(({ id }) => id))}.`,
    );
  }

  /** A response with the agent's options leaves out models that it reports separately. */
  #withLegacyModels(options: readonly AcpConfigOption[]): ConfigOption[] {
    const legacy = this.#context.state.configOptions.filter(({ id }) => id === LEGACY_MODEL_OPTION_ID);
    return [...legacy, ...readConfigOptions(options)];
  }

  #publishOptions(configOptions: readonly ConfigOption[]): void {
    this.#context.publish({ type: "session/configOptionsChanged", configOptions });
    const option = this.#modelOption;
    if (option !== undefined) this.#noteModels(option);
  }

  /** A value that the agent rejects is the caller's mistake; a failed connection is not. */
  async #refusable<Result>(name: string, value: string, answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      const reason = this.#redact(cause.message);
      throw new HostError("ACP_INVALID_OPTION", `${name}: the agent rejects '${value}': ${reason}`, {
        cause,
      });
    }
  }

  async #tolerate(set: () => Promise<void>): Promise<void> {
    try {
      await set();
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const { code, message } = error;
      this.#context.warn(`A setting could not be restored: ${message}`);
      this.#context.publish({ type: "session/errorReported", error: { code, message } });
    }
  }
}

function checkValue(name: string, option: ConfigOption, value: string): void {
  const values = valuesOf(option);
  if (values.includes(value)) return;
  throw new HostError("ACP_INVALID_OPTION", `${name} cannot be '${value}'. It can be: ${list(values)}.`, {
    details: { option: option.id },
  });
}

function valuesOf(option: ConfigOption): readonly string[] {
  return option.type === "boolean" ? ["true", "false"] : option.choices.map(({ value }) => value);
}

/** Names for a sentence; some agents offer hundreds. */
function list(names: readonly string[]): string {
  const most = 20;
  if (names.length === 0) return "none";
  const more = names.length > most ? `, and ${names.length - most} more` : "";
  return `${names.slice(0, most).join(", ")}${more}`;
}
