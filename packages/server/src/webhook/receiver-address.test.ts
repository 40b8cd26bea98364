// Receivers that webhooks of apps may not reach: by address, by name, and by a name that changes its mind.
import type { LookupAddress } from "node:dns";
import { networkInterfaces } from "node:os";
import { HostError } from "@holdfast/protocol";
import { MemoryMeta } from "@holdfast/core/testing";
import { describe, expect, it } from "vitest";
import { WebhookReceiver } from "../testing/webhook-receiver.ts";
import { turnDone } from "../testing/watched-host.ts";
import { app, once, owner, startSender } from "../testing/webhook-sending.ts";
import { checkReceiver, guardedLookup, isPublicAddress } from "./receiver-address.ts";

const closed = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.9.9.9",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:a9fe:a9fe",
  "64:ff9b::10.0.0.1",
  "64:ff9b:1::1",
  "2002:7f00:1::",
  "2001:0:1::",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1%eth0",
  "ff02::1",
];
const open = [
  "1.1.1.1",
  "100.63.0.1",
  "172.32.0.1",
  "192.169.0.1",
  "2606:4700::1111",
  "::ffff:1.1.1.1",
  "64:ff9b::1.1.1.1",
];

describe("[W620] addresses", () => {
  it.each(closed)("[W620] %s is closed", (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(open)("[W620] %s is open", (address) => expect(isPublicAddress(address)).toBe(true));

  it("[W620] of this machine are closed, and so is what is no address", () => {
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    for (const { address } of own) expect(isPublicAddress(address)).toBe(false);
    expect(isPublicAddress("example.org")).toBe(false);
  });

  it.each([
    "http://127.0.0.1/",
    "http://127.1:8080/hook",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://017700000001/",
    "https://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest/meta-data",
    "http://localhost:4747/",
    "http://LOCALHOST./",
    "http://any.localhost/",
  ])("[W620] %s is refused at registration", (url) => {
    expect(() => checkReceiver(url, isPublicAddress)).toThrow(
      expect.objectContaining({ code: "WEBHOOK_ADDRESS_NOT_ALLOWED", status: 403 }) as HostError,
    );
  });

  it.each(["https://example.org/hook", "http://1.1.1.1/", "http://localhost.example.org/"])(
    "[W620] %s is not",
    (url) => expect(() => checkReceiver(url, isPublicAddress)).not.toThrow(),
  );
});

describe("[W620] names", () => {
  const lookUp = (addresses: LookupAddress[], all: boolean): Promise<unknown> =>
    new Promise((resolve) => {
      const resolver = ((
        _name: string,
        _options: object,
        done: (error: null, found: LookupAddress[]) => void,
      ) => done(null, addresses)) as never;
      guardedLookup(isPublicAddress, resolver)("name", { all }, (error, ...found) =>
        resolve(error === null ? found : error.name),
      );
    });

  it("[W620] lead only to those of their addresses that are open", async () => {
    const mixed = [
      { address: "127.0.0.1", family: 4 },
      { address: "1.1.1.1", family: 4 },
      { address: "fe80::1", family: 6 },
    ];
    expect(await lookUp(mixed, true)).toEqual([[{ address: "1.1.1.1", family: 4 }]]);
    expect(await lookUp(mixed, false)).toEqual(["1.1.1.1", 4]);
    expect(await lookUp(mixed.slice(2), true)).toBe("ClosedAddressError");
  });
});

describe("[W620] deliveries", () => {
  it("[W620] of an app to this machine fail with the reason, by address and by name, and the owner's arrive", async () => {
    const receiver = await WebhookReceiver.start();
    const { port } = new URL(receiver.url);
    const meta = new MemoryMeta();
    const one = app("one");
    // As they were registered before it was forbidden, or for a name that led elsewhere then.
    const before = startSender({ meta });
    const ids = [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`].map(
      (url) => before.register({ url }, one.caller).id,
    );
    await before.sender.close();
    const { sender, host, outcome, register } = startSender({
      meta,
      retry: once,
      isAllowedAddress: isPublicAddress,
    });
    expect(() => register({ url: receiver.url }, one.caller)).toThrow(HostError);
    register({ url: receiver.url }, owner);
    host.notify(turnDone("ones", one.owner));
    await outcome("dead", 2);
    await outcome("delivered");
    expect(receiver.received).toHaveLength(1);
    for (const id of ids) {
      expect(sender.deadLetters(id, one.caller)).toMatchObject([
        { reason: expect.stringContaining("which webhooks of apps cannot reach") },
      ]);
    }
  });
});
