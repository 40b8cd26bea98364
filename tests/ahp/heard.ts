// What tests look at in messages of any dialect; everything else is compared as a whole.

/** An action as some dialect writes it. */
export interface HeardAction {
  readonly type: string;
  readonly title?: string;
  readonly data?: string;
  readonly turnId?: string;
  readonly toolCallId?: string;
  readonly queuedMessageId?: string;
  readonly session?: string;
  readonly terminal?: string;
  readonly exitCode?: number;
  readonly options?: readonly object[];
  readonly terminals?: readonly object[];
  readonly agents?: readonly HeardAgent[];
  readonly claim?: { readonly clientId?: string };
  readonly turns?: readonly HeardTurn[];
  readonly files?: readonly HeardFile[];
  readonly operations?: readonly { readonly id: string }[];
  readonly status?: string;
}

/** A file of a changeset. */
export interface HeardFile {
  readonly id: string;
  readonly reviewed?: boolean;
  readonly edit: {
    readonly before?: { readonly uri: string; readonly content: { readonly uri: string } };
    readonly after?: { readonly uri: string; readonly content: { readonly uri: string } };
    readonly diff: object;
  };
}

/** An action in its envelope. */
export interface HeardEnvelope {
  readonly channel?: string;
  readonly action: HeardAction;
  readonly serverSeq: number;
  readonly origin?: { readonly clientId: string; readonly clientSeq: number };
  readonly rejectionReason?: string;
}

/** The params of any notification. */
export interface HeardParams extends Partial<HeardEnvelope> {
  readonly session?: string;
  readonly summary?: { readonly resource: string };
  readonly notification?: { readonly type: string };
}

/** An agent in the root's list. */
export interface HeardAgent {
  readonly provider: string;
}

/** A turn. */
export interface HeardTurn {
  readonly id: string;
  readonly state?: string;
}

/** A piece of what a terminal shows. */
export interface HeardPart {
  readonly type: string;
  readonly value?: string;
  readonly output?: string;
}

/** A state of a channel. */
export interface HeardSnapshot {
  readonly resource: string;
  readonly fromSeq: number;
  readonly state: {
    readonly agents?: readonly HeardAgent[];
    readonly lifecycle?: unknown;
    readonly content?: readonly HeardPart[];
    readonly activeTurn?: HeardTurn;
    readonly turns?: readonly HeardTurn[];
    readonly turnsNextCursor?: string;
    readonly files?: readonly HeardFile[];
    readonly operations?: readonly { readonly id: string }[];
  };
}

/** The result of any request. */
export interface HeardResult {
  readonly type?: string;
  readonly serverSeq?: number;
  readonly snapshot?: HeardSnapshot;
  readonly snapshots?: readonly HeardSnapshot[];
  readonly actions?: readonly HeardEnvelope[];
  readonly items?: readonly object[];
  readonly turns?: readonly HeardTurn[];
  readonly hasMore?: boolean;
  readonly data?: string;
}

/** A message as it was heard. */
export interface Heard {
  readonly id?: number | null;
  readonly method?: string;
  readonly params?: HeardParams;
  readonly result?: HeardResult | null;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
