// Sessions that are over: kept and listed when asked for, or removed altogether.
import { OPERATIONS } from "@holdfast/protocol";
import { describe, expect, it, vi } from "vitest";
import { serve } from "../testing/serving.ts";

describe("[A43] sessions that are over", () => {
  it("[A43] are listed only when asked for, and gone when they are purged", async () => {
    const { client, host } = await serve();
    const open = await client.createSession();
    const closed = await client.createSession();
    const purged = await client.createSession();
    await client.send("DELETE", `/sdk/acp/session/${closed}`, { body: { reason: "enough" } });
    expect((await client.send("DELETE", `/sdk/acp/session/${purged}?purge=true`)).body).toEqual({
      success: true,
    });
    expect(host.reasons).toEqual(["enough", "deleted"]);
    const keysOf = async (query: string): Promise<unknown[]> => {
      const { body } = await client.send("GET", `/sdk/acp/sessions${query}`);
      expect(OPERATIONS.listSessions.response.safeParse(body).error).toBeUndefined();
      return (body["sessions"] as { session_key: string; state: string }[]).map(({ session_key, state }) => [
        session_key,
        state,
      ]);
    };
    expect(await keysOf("")).toEqual([[open, "ready"]]);
    expect(await keysOf("?closed=false")).toEqual([[open, "ready"]]);
    expect(await keysOf("?closed=true")).toEqual([
      [open, "ready"],
      [closed, "closed"],
    ]);
    await client.send("DELETE", `/sdk/acp/session/${closed}?purge=true`);
    expect(await keysOf("?closed=true")).toEqual([[open, "ready"]]);
  });

  it("[A43] are asked for in the caller's own name", async () => {
    const { client, host } = await serve();
    const list = vi.spyOn(host, "listSessions");
    await client.send("GET", "/sdk/acp/sessions?closed=true");
    expect(list).toHaveBeenCalledWith({ kind: "owner" }, true);
    expect((await client.send("GET", "/sdk/acp/sessions?closed=maybe")).status).toBe(400);
    expect((await client.send("DELETE", "/sdk/acp/session/none?purge=true")).status).toBe(404);
  });
});
