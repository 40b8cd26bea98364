// The envelopes, member by member.
import { describe, expect, it } from "vitest";
import { errorEnvelope, errorEnvelopeSchema, success } from "./envelope.ts";
import { HostError } from "./host-error.ts";

describe("envelopes", () => {
  it("[P5] success carries its named members beside it", () => {
    expect(success({ agents: [] })).toEqual({ success: true, agents: [] });
    expect(success({})).toEqual({ success: true });
  });

  it("[P5] failure is a sentence and a code, and nothing else", () => {
    const error = new HostError("ACP_TURN_ACTIVE", "Busy.", {
      cause: new Error("inner"),
      details: { turnId: "t1" },
    });
    expect(errorEnvelope(error)).toEqual({ success: false, error: "Busy.", code: "ACP_TURN_ACTIVE" });
  });

  it.each(["PERMISSION_REQUIRED", "PERMISSION_DENIED"] as const)(
    "[P6] %s serves both families of clients: the code in error, the sentence in message",
    (code) => {
      const error = new HostError(code, "Ask the owner.", { details: { permission: "acp.agent" } });
      const envelope = errorEnvelope(error);
      expect(envelope).toEqual({
        success: false,
        error: code,
        code,
        permission: "acp.agent",
        message: "Ask the owner.",
      });
      expect(errorEnvelopeSchema.parse(envelope)).toEqual(envelope);
    },
  );

  it("[P6] a permission that nobody named is left out", () => {
    expect(errorEnvelope(new HostError("PERMISSION_DENIED"))).not.toHaveProperty("permission");
  });
});
