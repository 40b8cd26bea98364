// The way to a host: live for those who are let in, a clear no for others.
import { describe, expect, it, onTestFinished } from "vitest";
import { ProgramRun } from "../testing/program-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";
import { HostLink } from "./host-link.ts";

describe("[C15] the link to a host", () => {
  it("[C15] follows live changes for the owner, and rejects anyone else immediately", async () => {
    const run = new ProgramRun(["--port", "0", "--home", temporaryFolder(), "--json"], {
      program: "main",
    });
    onTestFinished(async () => void (await run.stop("SIGKILL")));
    const { url, token } = await run.ready();
    const link = new HostLink({ url, token });
    onTestFinished(() => link.close());
    expect((await link.ahp()).status.status).toBe("connected");

    const { secret } = await link.api.keys.create({ name: "an app", scopes: ["acp.agent"] });
    for (const wrong of [secret, "nobody-knows-this-token"]) {
      await expect(new HostLink({ url, token: wrong }).ahp()).rejects.toMatchObject({ kind: "refused" });
    }
  });
});
