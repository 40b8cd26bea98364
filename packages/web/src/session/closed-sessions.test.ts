// Sessions that are listed as closed.
import { describe, expect, it } from "vitest";
import { closedAmong, type ListedSession } from "./closed-sessions.ts";

function listed(id: string, changes: Partial<ListedSession> = {}): ListedSession {
  return {
    session_key: `agent:shell:acp:${id}`,
    uri: `shell:/${id}`,
    agent_id: "shell",
    state: "closed",
    backend_id: "1",
    created_at: "2026-01-01T00:00:00.000Z",
    last_activity_at: null,
    runtime_options: {},
    ...changes,
  };
}

describe("[Z8] sessions that are over", () => {
  it("[Z8] are separated from open ones, the last one used first", () => {
    const found = closedAmong([
      listed("old"),
      listed("open", { state: "ready" }),
      listed("new", { last_activity_at: "2026-02-01T00:00:00.000Z" }),
    ]);
    expect(found.map(({ uri }) => uri)).toEqual(["shell:/new", "shell:/old"]);
  });

  it("[Z8] are called by their label, else by their title", () => {
    const title = "Water the roses";
    const found = closedAmong([listed("one", { label: "Garden work", title }), listed("two", { title })]);
    expect(found.map(({ name }) => name)).toEqual(["Garden work", title]);
  });
});
