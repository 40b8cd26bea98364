// The entry in a browser: nothing of Node, nothing of zod, and it works with what a page has.
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type * as Sdk from "./index.ts";
import { bundleEntry, type Bundle } from "./testing/bundle.ts";
import { answerJson, beginEvents, startTestServer } from "./testing/test-server.ts";

/** Modules that a page cannot have, or should not have to load. */
function foreignModules({ modules }: Bundle): string[] {
  return modules.filter((id) =>
    /^node:|browser-external|platform\/node|zod|packages\/(protocol|ahp)\//.test(id),
  );
}

/** Globals that pages have; `process`, `Buffer` and `require` are not among them. */
function pageGlobals(origin: string): Record<string, unknown> {
  return {
    AbortController,
    AbortSignal,
    TextDecoder,
    URLSearchParams,
    atob,
    btoa,
    clearTimeout,
    fetch,
    location: { origin },
    setTimeout,
  };
}

async function runInPage(origin: string, globals: Record<string, unknown> = {}): Promise<typeof Sdk> {
  const { code } = await bundleEntry("browser");
  const page = createContext({ ...pageGlobals(origin), ...globals });
  return runInContext(`${code}; sdk`, page) as typeof Sdk;
}

describe("[X18] the entry in a browser", () => {
  it("[X18] holds nothing of Node, nothing of zod, and is small", async () => {
    const bundle = await bundleEntry("browser");
    expect(bundle.modules.length).toBeGreaterThan(10);
    expect(foreignModules(bundle)).toEqual([]);
    expect(bundle.code).not.toMatch(/node:|\bprocess\b|\bBuffer\b|\brequire\b|\bimport\(|zod/i);
    const sizeBytes = gzipSync(bundle.code).length;
    expect(sizeBytes).toBeLessThan(8 * 1024);
  });

  it("[X18] is not what Node gets, which this test would find", async () => {
    expect(foreignModules(await bundleEntry("node"))).not.toEqual([]);
  });

  it("[X18] works with what a page has, and talks to the host that served it", async () => {
    const server = await startTestServer(({ path }, response) => {
      if (!path.endsWith("/chat/stream")) return answerJson(response, { sessions: [] });
      beginEvents(response);
      response.end(`event: close\ndata: {"success":true}\n\n`);
    });
    const { Holdfast } = await runInPage(server.url, { RTX_APP_ID: "app" });
    const client = new Holdfast();
    expect(client.appId).toBe("app");
    expect(await client.acpAgent.listSessions()).toEqual([]);
    const types: string[] = [];
    for await (const { type } of client.acpAgent.streamChat("key", "go")) types.push(type);
    expect(types).toEqual(["close"]);
  });

  it("[X18] knows of no host where no page was served", async () => {
    const asked: string[] = [];
    const fetch = (url: string): Promise<Response> => {
      asked.push(url);
      return Promise.resolve(Response.json({ sessions: [] }));
    };
    const { Holdfast } = await runInPage("null", { fetch });
    await new Holdfast({ apiKey: "k" }).acpAgent.listSessions();
    expect(asked.at(-1)).toBe("http://localhost:3001/sdk/acp/sessions");
  });
});
