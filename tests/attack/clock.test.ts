// Attacks by the clock: somebody sets it forward or back to outlive an expiry, or to use a ticket twice.
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WireClient } from "../ahp/wire-client.ts";
import { AttackHost } from "./attack-host.ts";
import { attackSettings, optionsOf } from "./attack-settings.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const preload = pathToFileURL(path.join(import.meta.dirname, "clock-jump.mjs")).href;

let target: AttackHost;
/** Holds how far the host's clock is ahead. */
let clockFile: string;

/** Sets the host's clock, relative to the right time. */
function setClock(aheadMs: number): void {
  writeFileSync(clockFile, String(aheadMs));
}

/** The status with which a WebSocket with this ticket is refused; 101 if it is accepted. */
async function openSocket(ticket: string): Promise<number> {
  try {
    const client = await WireClient.open(`${target.host.url.replace("http", "ws")}/ahp?ticket=${ticket}`);
    client.socket.close();
    return 101;
  } catch (error) {
    return Number(/\b4\d\d\b/.exec(String(error))?.[0]);
  }
}

async function makeTicket(): Promise<string> {
  const { body } = await target.call("POST", "/admin/tickets");
  return String(body["ticket"]);
}

/** The cookie that a link gives; empty if it is refused. */
async function signIn(link: string): Promise<string> {
  const { headers } = await fetch(link, { redirect: "manual" });
  return (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

describe.each(attackSettings("own"))("as $user, backend $backend", (setting) => {
  beforeAll(async () => {
    const options = optionsOf(setting);
    target = await AttackHost.start(
      {},
      {
        ...options,
        prepare: (folder) => {
          clockFile = path.join(folder, "clock");
          setClock(0);
        },
        environmentIn: (folder) => ({
          NODE_OPTIONS: `--import=${preload}`,
          HOLDFAST_ATTACK_CLOCK: path.join(folder, "clock"),
        }),
      },
    );
  });
  afterAll(() => target.close());
  beforeEach(() => setClock(0));

  it("[A710] a ticket for a WebSocket opens nothing after its time, nor twice, whatever the clock says", async () => {
    const late = await makeTicket();
    setClock(31_000);
    expect(await openSocket(late)).toBe(401);
    setClock(0);
    expect(await openSocket(late)).toBe(401);
    const used = await makeTicket();
    setClock(-day);
    expect(await openSocket(used)).toBe(101);
    expect(await openSocket(used)).toBe(401);
    setClock(-2 * day);
    expect(await openSocket(used)).toBe(401);
  });

  it("[A710] a link signs in once, within its time, and a cookie that has expired stays so", async () => {
    const link = async (): Promise<string> => (await target.holdfast("open", "--print")).output.trim();
    const late = await link();
    setClock(11 * minute);
    expect(await signIn(late)).toBe("");
    setClock(0);
    expect(await signIn(late)).toBe("");
    const good = await link();
    const cookie = await signIn(good);
    expect(cookie).not.toBe("");
    expect(await signIn(good)).toBe("");
    const read = async (): Promise<number> =>
      (await target.call("GET", "/admin/keys", undefined, { cookie, "x-holdfast-page": "1" })).status;
    expect(await read()).toBe(200);
    setClock(31 * day);
    expect(await read()).toBe(401);
    setClock(0);
    expect(await read()).toBe(401);
  });

  it("[V710] an approval that expired by the clock allows nothing, also after the clock was set back", async () => {
    const key = await target.open({ approvalPolicy: "ask" });
    const made = path.join(target.host.project, "made");
    const playing = target.play(key, [{ do: "terminal", command: "touch made" }], () => "later");
    await expect.poll(() => target.openQuestions(key)).toHaveLength(1);
    const [question] = await target.openQuestions(key);
    const route = `/sdk/acp/approvals/${String(question?.["requestId"])}`;
    setClock(25 * 60 * minute);
    const first = await target.call("POST", route, { optionId: "allow_once" });
    expect(first.body).toMatchObject({ resolved: false });
    setClock(0);
    const second = await target.call("POST", route, { optionId: "allow_once" });
    expect(second.body).not.toMatchObject({ resolved: true });
    expect((await playing).outcomes[0]).toMatchObject({ code: -32_009 });
    expect(existsSync(made)).toBe(false);
    const entries = await target.audit(key, "approval");
    expect(entries.map(({ decision }) => decision)).toEqual(["expired"]);
  });

  it("[C675] entries made while the clock went back stay in one chain", async () => {
    for (const ahead of [day, -day, 0]) {
      setClock(ahead);
      await makeTicket();
    }
    expect((await target.holdfast("audit", "verify")).code).toBe(0);
  });
});
