// A bot that the host calls: it verifies the caller, and decides approvals by a simple rule.
// Usage: node --import tsx examples/webhook-bot.ts [pattern of commands to allow]; Ctrl-C ends it.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Holdfast, type PendingApproval } from "@holdfast/sdk";

interface Delivery {
  readonly event: "approval_needed" | "turn_done" | "session_error";
  readonly session_key: string;
  readonly state?: string;
  readonly permission_request?: Omit<PendingApproval, "session_key" | "requestedAt">;
}

const allowed = new RegExp(process.argv[2] ?? "^(ls|cat|echo|git status)\\b");
const oldestSeconds = 300;
const { approvals, webhooks } = new Holdfast();
/** The host sends it once, below. */
let secret = "";
/** A delivery whose answer got lost is sent again under the same id. */
const seen = new Set<string>();

/** Whether the host sent this, and lately: the signature covers the time and the bytes as they came. */
function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const { "x-holdfast-timestamp": timestamp, "x-holdfast-signature": signature } = headers;
  const hmac = createHmac("sha256", secret)
    .update(`${String(timestamp)}.`)
    .update(body);
  const expected = Buffer.from(`v1=${hmac.digest("hex")}`);
  const given = Buffer.from(String(signature));
  const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) < oldestSeconds;
  return isRecent && given.length === expected.length && timingSafeEqual(given, expected);
}

async function answer({ event, session_key, state, permission_request: request }: Delivery): Promise<void> {
  if (event !== "approval_needed" || request === undefined) {
    return console.log(`${session_key}: ${event}${state === undefined ? "" : ` (${state})`}`);
  }
  const kind = allowed.test(request.target) ? "allow_once" : "reject_once";
  const { resolved } = await approvals.resolve({ session_key, requestId: request.requestId }, kind);
  console.log(
    `${session_key}: ${request.target}: ${kind}${resolved ? "" : ", but somebody else was faster"}`,
  );
}

async function receive(request: IncomingMessage): Promise<number> {
  const body = await buffer(request);
  if (!isGenuine(request.headers, body)) return 401;
  const id = String(request.headers["x-holdfast-delivery"]);
  if (seen.has(id)) return 200;
  // An answer other than 2xx makes the host try again, for hours: say it only when that may help.
  await answer(JSON.parse(body.toString()) as Delivery);
  seen.add(id);
  return 200;
}

const server = createServer((request, response) => {
  const answerWith = (status: number): void => void response.writeHead(status).end();
  receive(request).then(answerWith, (error: unknown) => {
    console.error(error);
    answerWith(500);
  });
});
server.listen(0, "127.0.0.1", () => void register(server.address() as AddressInfo));

async function register({ port }: AddressInfo): Promise<void> {
  const registered = await webhooks.create({ url: `http://127.0.0.1:${port}/` });
  ({ secret } = registered);
  console.log(`listening on port ${port}`);
  process.once("SIGINT", () => void webhooks.delete(registered.webhook.id).finally(() => process.exit(0)));
}
