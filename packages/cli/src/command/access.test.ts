// The commands that look after keys, apps and sign-ins, against one real host.
import path from "node:path";
import { Holdfast } from "@holdfast/sdk";
import { describe, expect, it } from "vitest";
import { useAdministeredHost } from "../testing/administered-host.ts";
import { runWords } from "../testing/command-run.ts";

const host = useAdministeredHost();

describe("[C54] keys and apps", () => {
  it("[C54] a key is shown once, listed without its secret, and opens nothing when revoked", async () => {
    const { stdout: secret } = await host.run(
      "keys",
      "create",
      "--name",
      "notes",
      "--scope",
      "terminal",
      "acp.agent",
    );
    expect(secret).toMatch(/^hf_\S+\n$/);
    const listing = await host.run("keys", "ls");
    expect(listing.stdout).toMatch(/valid +never +terminal,acp\.agent +approve-reads +notes\n/);
    expect(listing.stdout).not.toContain(secret.trim());
    const environment = { HOLDFAST_TOKEN: secret.trim() };
    expect((await runWords(["ls", "--home", host.home], environment)).code).toBe(0);
    expect((await runWords(["keys", "ls", "--home", host.home], environment)).code).toBe(5);
    expect((await host.run("keys", "revoke", "notes")).code).toBe(0);
    expect((await runWords(["ls", "--home", host.home], environment)).code).toBe(5);
    expect(await host.refused("keys", "revoke", "notes")).toEqual({ code: "KEY_NOT_FOUND", exitCode: 6 });
    expect(await host.refused("keys", "create", "--name", "x", "--scope", "all")).toMatchObject({
      exitCode: 2,
    });
    expect(await host.refused("keys")).toEqual({ code: "WRONG_ARGUMENTS", exitCode: 2 });
  });

  it("[C620] a ceiling is set by options, listed, and holds for the key's sessions", async () => {
    const options = [
      "--policy",
      "approve-all",
      "--root",
      host.work,
      "--root",
      "relative",
      "--agents",
      "shell,claude",
    ];
    const made = await host.read("keys", "create", "--name", "bounded", ...options);
    const ceiling = {
      policy: "approve-all",
      roots: [host.work, path.resolve("relative")],
      agents: ["shell", "claude"],
    };
    expect(made).toMatchObject({ key: { ceiling } });
    expect((await host.run("keys", "ls")).stdout).toContain(`approve-all shell,claude ${host.work}`);
    const { secret } = made as { secret: string };
    const bounded = new Holdfast({ baseUrl: host.url, apiKey: secret });
    await expect(bounded.acpAgent.createSession({ agent_id: "shell", cwd: "/" })).rejects.toMatchObject({
      code: "CEILING_EXCEEDED",
      status: 403,
      message: expect.stringContaining("keys create"),
    });
    const session = await bounded.acpAgent.createSession({
      agent_id: "shell",
      cwd: host.work,
      approvalPolicy: "approve-all",
    });
    await bounded.acpAgent.closeSession(session.session_key);
    const words = ["--permission", "acp.agent", "--policy", "deny-all", "--agents", "shell"];
    expect(await host.read("apps", "grant", "bounded", ...words)).toMatchObject({
      ceiling: { policy: "deny-all", agents: ["shell"] },
    });
    expect((await host.run("apps", "ls")).stdout).toMatch(/bounded +granted +- +acp\.agent +deny-all shell/);
    await host.run("apps", "remove", "bounded");
  });

  it("[C622] [C623] a link signs one browser in, which is listed and signed out", async () => {
    const { stdout: link } = await host.run("open", "--print");
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?ticket=\S+\n$/);
    const headers = { "user-agent": "Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Edg/140.0" };
    const reply = await fetch(link.trim(), { redirect: "manual", headers });
    expect([reply.status, reply.headers.get("location")]).toEqual([303, "/"]);
    const [signedIn] = (await host.read("sign-ins", "ls")) as { id: string; device: string }[];
    expect(signedIn).toMatchObject({ device: "Edge on Windows" });
    expect((await host.run("sign-ins", "ls")).stdout).toMatch(/Edge on Windows +127\.0\.0\.1 /);
    expect(await host.refused("sign-ins", "revoke", "none")).toEqual({
      code: "SIGN_IN_NOT_FOUND",
      exitCode: 6,
    });
    expect((await host.run("sign-ins", "revoke", signedIn?.id.slice(0, 6) ?? "")).code).toBe(0);
    expect(await host.read("sign-ins", "ls")).toEqual([]);
    const { url } = (await host.read("open")) as { url: string };
    await fetch(url, { redirect: "manual" });
    expect(await host.read("sign-ins", "revoke", "--all")).toHaveLength(1);
  });

  it("[A712] a key is created with its limits, which the list shows", async () => {
    const words = ["keys", "create", "--name", "limited", "--limit", "memory=2G", "--limit", "time=5m"];
    expect(await host.read(...words)).toMatchObject({
      key: {
        ceiling: {
          policy: "approve-reads",
          limits: { key: { memoryMebibytes: 2048 }, command: { wallClockSeconds: 300 } },
        },
      },
    });
    expect((await host.run("keys", "ls")).stdout).toContain("approve-reads memory=2048M time=300s");
  });

  it("[C54] apps are granted what they asked for or what is named, refused and forgotten", async () => {
    const { registration } = new Holdfast({
      baseUrl: host.url,
      appId: "notes",
      permissions: ["acp.agent"],
    });
    await registration;
    expect((await host.run("apps", "ls")).stdout).toMatch(/notes +waiting +acp\.agent +-/);
    expect(await host.read("apps", "grant", "notes")).toMatchObject({
      state: "granted",
      permissions: ["acp.agent"],
    });
    expect(await host.refused("apps", "grant", "other")).toEqual({ code: "PERMISSION_NEEDED", exitCode: 2 });
    const words = ["--permission", "terminal", "--name", "Other"];
    expect(await host.read("apps", "grant", "other", ...words)).toMatchObject({
      permissions: ["terminal"],
      name: "Other",
    });
    expect(await host.read("apps", "deny", "notes")).toMatchObject({ state: "refused" });
    expect(await host.read("apps", "remove", "notes")).toEqual({ id: "notes", removed: true });
    expect(await host.refused("apps", "deny", "notes")).toMatchObject({ exitCode: 6 });
    expect((await host.run("apps", "remove", "other")).code).toBe(0);
  });
});
