// Identity of a request, by every credential that it may carry.
import { MemoryMeta } from "@holdfast/core/testing";
import { describe, expect, it } from "vitest";
import { openAccess } from "./access.ts";
import { readPeer } from "./address.ts";
import { requirePermission } from "./permission.ts";

const token = "the-owner-has-this-one";
const local = { address: "127.0.0.1", isLocal: true };
const remote = { address: "192.0.2.1", isLocal: false };
const nothing = { apiKey: undefined, authorization: undefined, appId: undefined };

function open(acceptsAppIds = false) {
  const access = openAccess({ token, log: () => {}, meta: new MemoryMeta(), acceptsAppIds });
  const identify = (headers: object, peer = local) =>
    access.authenticator.identify({ ...nothing, ...headers }, peer);
  return { ...access, identify };
}

describe("[A62] the caller", () => {
  it("[A62] the token is the owner, with every scope", () => {
    const { identify } = open();
    const owner = { kind: "token", caller: { kind: "owner" }, clientId: "owner" };
    expect(identify({ apiKey: token })).toMatchObject(owner);
    expect(identify({ authorization: `Bearer ${token}` }, remote)).toMatchObject(owner);
    expect(identify({ apiKey: token }).scopes).toEqual(["acp.agent", "terminal", "admin"]);
  });

  it("[A62] a key is a separate app, with its scopes", () => {
    const { identify, keys } = open();
    const { key, text } = keys.create({ name: "build", scopes: ["terminal"] });
    expect(identify({ apiKey: text })).toEqual({
      kind: "key",
      caller: { kind: "app", appId: `key:${key.id}`, name: "build", ceiling: { policy: "approve-reads" } },
      clientId: `key:${key.id}`,
      scopes: ["terminal"],
      isRefused: false,
    });
    expect(identify({ apiKey: "wrong", authorization: `Bearer ${text}` }).caller.kind).toBe("app");
  });

  it("[A62] a key with admin has the owner's rights and still keeps its identity", () => {
    const { identify, keys } = open();
    const { key, text } = keys.create({ name: "page", scopes: ["admin"] });
    expect(identify({ apiKey: text })).toMatchObject({
      caller: { kind: "owner" },
      clientId: `key:${key.id}`,
      scopes: ["acp.agent", "terminal", "admin"],
    });
  });

  it.each([false, true])("[A62] an app id beside a key changes nothing, app ids taken: %s", (areTaken) => {
    const { identify, keys, apps } = open(areTaken);
    const { key, text } = keys.create({ name: "build", scopes: ["acp.agent"] });
    apps.grant("app-1", ["terminal"]);
    for (const appId of ["app-1", "unknown", `key:${key.id}`]) {
      expect(identify({ apiKey: text, appId })).toEqual(identify({ apiKey: text }));
      expect(identify({ apiKey: token, appId })).toEqual(identify({ apiKey: token }));
      expect(() => identify({ apiKey: "wrong", appId })).toThrow(
        expect.objectContaining({ code: "UNAUTHORIZED" }) as Error,
      );
    }
  });
});

describe("[A65] app ids", () => {
  it("[A65] no app is ever taken for a key", () => {
    const { identify, keys, apps } = open(true);
    const { key } = keys.create({ name: "build", scopes: ["acp.agent"] });
    apps.grant(key.id, ["acp.agent"]);
    expect(identify({ appId: key.id }).caller).toMatchObject({ appId: key.id });
    expect(identify({ appId: key.id }).clientId).toBe(`app:${key.id}`);
  });

  it("[A65] open nothing to other machines", () => {
    const { identify, apps } = open(true);
    apps.grant("app-1", ["acp.agent"]);
    expect(identify({ appId: "app-1" }).caller.kind).toBe("app");
    expect(() => identify({ appId: "app-1" }, remote)).toThrow(
      expect.objectContaining({ code: "UNAUTHORIZED" }) as Error,
    );
  });

  it("[A65] an unknown one is named, truncated where it is very long", () => {
    const { identify } = open(true);
    expect(() => identify({ appId: "%zz%00" })).toThrow("Invalid app ID: %zz%00");
    expect(() => identify({ appId: "x".repeat(10_000) })).toThrow(/^Invalid app ID: x{64}…$/);
  });
});

describe("[A63] permissions", () => {
  it("[A63] a refused permission is reported as denied, one not granted yet as required", () => {
    const { identify, apps } = open(true);
    apps.register({ id: "app-1", name: undefined, permissions: ["acp.agent"] });
    const codeOf = (): unknown => {
      try {
        requirePermission(identify({ appId: "app-1" }), "acp.agent");
        return "allowed";
      } catch (error) {
        return (error as { code: unknown }).code;
      }
    };
    expect(codeOf()).toBe("PERMISSION_REQUIRED");
    apps.grant("app-1", ["terminal"]);
    expect(codeOf()).toBe("PERMISSION_REQUIRED");
    apps.grant("app-1", ["acp.agent"]);
    expect(codeOf()).toBe("allowed");
    apps.refuse("app-1");
    expect(codeOf()).toBe("PERMISSION_DENIED");
  });
});

describe("[A67] a request that was made on this machine", () => {
  const host = "localhost:4747";

  it("[A67] comes from a loopback address to a loopback name, through no proxy", () => {
    for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.9.9.9"]) {
      expect(readPeer(address, { host, forwarded: undefined }).isLocal).toBe(true);
    }
    expect(readPeer("::ffff:192.0.2.1", { host, forwarded: undefined })).toEqual({
      address: "192.0.2.1",
      isLocal: false,
    });
    expect(readPeer("127.0.0.1", { host, forwarded: "192.0.2.1" }).isLocal).toBe(false);
    expect(readPeer("127.0.0.1", { host: "box.example", forwarded: undefined }).isLocal).toBe(false);
    expect(readPeer(undefined, { host, forwarded: undefined }).isLocal).toBe(false);
  });
});
