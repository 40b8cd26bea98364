// Handlers of client requests: subscriptions and terminals here, sessions in session.ts, files in resource.ts.
import { pathToFileURL } from "node:url";
import { ROOT_URI, makeId, mayNameTerminal } from "@holdfast/ahp";
import type { AhpRequests, RequestMethod, WireSnapshot } from "@holdfast/ahp/dialects";
import { requireAccepted, type Recording } from "@holdfast/core";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import type { AhpPort } from "../host-port.ts";
import type { Channels } from "./channels.ts";
import type { ClientSubscriptions } from "./client-subscriptions.ts";
import type { Reviews } from "./review.ts";
import { resourceHandlers } from "./resource.ts";
import type { ResourceWatches } from "./resource-watches.ts";
import type { StartProgress } from "./start-progress.ts";
import type { Telemetry } from "./telemetry.ts";
import { invalidParams, wrongParams } from "./rpc-error.ts";
import { sessionHandlers } from "./session.ts";

/** The requests of a client that has introduced itself; `unsubscribe` is a notification. */
export type HandledMethod = Exclude<RequestMethod, "reconnect" | "unsubscribe">;

export interface HandlerDeps {
  readonly port: AhpPort;
  readonly channels: Channels;
  readonly watches: ResourceWatches;
  readonly reviews: Reviews;
  readonly telemetry: Telemetry;
  readonly starts: StartProgress;
}

/** Returns the result of a request, or throws a `HostError` or an `RpcError`. */
type RequestHandler<Method extends HandledMethod> = (
  subscriptions: ClientSubscriptions,
  params: AhpRequests[Method],
) => unknown;

export type RequestHandlers = { readonly [Method in HandledMethod]: RequestHandler<Method> };

export function requestHandlers(deps: HandlerDeps): RequestHandlers {
  return {
    subscribe: (subscriptions, params) => subscribe(deps, subscriptions, params),
    ...sessionHandlers(deps),
    ...terminalHandlers(deps),
    ...resourceHandlers(deps),
    // The token goes no further: no agent names a resource that it would be for.
    authenticate: (_subscriptions, { resource }) => {
      throw invalidParams(`resource: no agent takes tokens for ${resource}. ${SIGN_IN}`);
    },
    invokeChangesetOperation: ({ dialect, record }, { channel, operationId, target }) => {
      if (dialect.changesets === "none") {
        throw new RpcError(ErrorCode.methodNotFound, "This version of AHP has no changesets.");
      }
      const asker = { dialect, submitter: record.submitter };
      return deps.reviews.changesets.invoke(channel, operationId, target, asker);
    },
  };
}

/** Reads a request in the client's dialect and has it answered. */
export async function handleRequest<Method extends HandledMethod>(
  handlers: Pick<RequestHandlers, Method>,
  recording: Recording,
  subscriptions: ClientSubscriptions,
  method: Method,
  params: unknown,
): Promise<unknown> {
  const read = subscriptions.dialect.readRequest<Method>(method, params);
  if (!read.ok) throw wrongParams(params, read.problem);
  const handler: RequestHandler<Method> = handlers[method];
  if (!changesState(method)) return handler(subscriptions, read.value);
  await recording.requireNow();
  const result: unknown = await handler(subscriptions, read.value);
  await recording.settled();
  return result;
}

/** Requests that are answered only when what they changed is recorded (D260). */
function changesState(method: HandledMethod): boolean {
  return /^(create(Session|Terminal)|dispose|invoke|reopen|resource(Write|Mkdir|Copy|Move|Delete|Request))/.test(
    method,
  );
}

/** A folder as AHP writes it. */
export function folderUri(folder: string): string {
  return pathToFileURL(folder).href;
}

const maxSubscriptions = 1024;
const SIGN_IN = "Agents sign in themselves: `holdfast agents doctor AGENT` names the command.";

/** Follows a channel and returns its state; a channel that is over has a state and nothing to follow. */
async function subscribe(
  { channels, watches, reviews, telemetry }: HandlerDeps,
  subscriptions: ClientSubscriptions,
  { channel, maxLatencyMs, turns }: AhpRequests["subscribe"],
): Promise<{ snapshot?: WireSnapshot }> {
  const { dialect } = subscriptions;
  if (subscriptions.size + reviews.countOf(subscriptions) >= maxSubscriptions) {
    throw new RpcError(ErrorCode.tooBusy, `At most ${maxSubscriptions} channels can be followed at once.`);
  }
  if (telemetry.subscribe(channel, subscriptions)) return {};
  // What waits on the channel comes before its state.
  subscriptions.delivery.flush();
  const watched = watches.subscribe(channel, subscriptions);
  if (watched !== undefined) return { snapshot: watched };
  const found = await channels.find(dialect, channel);
  subscriptions.requireOpen();
  const snapshot = found && subscriptions.subscribe(found, { maxLatencyMs, turns });
  if (snapshot !== undefined) return { snapshot };
  const { submitter } = subscriptions.record;
  const review = found === undefined ? await reviews.read(channel, { dialect, submitter }) : undefined;
  subscriptions.requireOpen();
  if (review !== undefined) {
    subscriptions.delivery.flush();
    return { snapshot: review.follow(subscriptions) };
  }
  throw new RpcError(dialect.errorNumbers.sessionNotFound, `There is no channel ${channel}.`);
}

function terminalHandlers({
  port,
  channels,
}: HandlerDeps): Pick<RequestHandlers, "createTerminal" | "disposeTerminal"> {
  return {
    createTerminal: async ({ record }, { channel, claim, name, cwd, cols, rows }) => {
      if (!mayNameTerminal(channel)) {
        throw invalidParams("channel: expected the URI of a terminal, such as ahp-terminal:/name");
      }
      const size = { ...(cols !== undefined && { cols }), ...(rows !== undefined && { rows }) };
      const shell = { uri: makeId("terminal URI", channel), claim, name, cwd, size };
      const request = { type: "root/createTerminal", shell } as const;
      requireAccepted(await port.submit(ROOT_URI, request, record.submitter), "INTERNAL");
      return null;
    },
    disposeTerminal: async ({ dialect, record }, { channel }) => {
      const found = await channels.find(dialect, channel);
      if (found?.kind !== "terminal") throw new HostError("TERMINAL_NOT_FOUND");
      const submission = await port.submit(found.uri, { type: "terminal/dispose" }, record.submitter);
      requireAccepted(submission, "TERMINAL_NOT_FOUND");
      return null;
    },
  };
}
