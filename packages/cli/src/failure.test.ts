// Failures as people and programs read them.
import { ClientError } from "@holdfast/ahp/client";
import { RpcError } from "@holdfast/jsonrpc";
import { HoldfastError } from "@holdfast/sdk";
import { describe, expect, it } from "vitest";
import { CommandError, StartError } from "./command-error.ts";
import { describeFailure, failureLine, failureOf } from "./failure.ts";

describe("[C14] a failure", () => {
  it.each([
    [new CommandError("HOST_NOT_RUNNING", "None runs.", { exitCode: 4 }), "HOST_NOT_RUNNING", 4],
    [new StartError(3, "Taken."), "ADDRESS_NOT_AVAILABLE", 3],
    [new StartError(2, "Wrong."), "CANNOT_START", 2],
    [new HoldfastError("CONNECTION_FAILED", "Nobody there."), "CONNECTION_FAILED", 4],
    [new HoldfastError("UNAUTHORIZED", "Who?", { status: 401 }), "UNAUTHORIZED", 5],
    [new HoldfastError("PERMISSION_DENIED", "No.", { status: 403 }), "PERMISSION_DENIED", 5],
    [new HoldfastError("ACP_SESSION_NOT_FOUND", "None.", { status: 404 }), "ACP_SESSION_NOT_FOUND", 6],
    [new HoldfastError("ACP_TURN_ACTIVE", "Busy.", { status: 409 }), "ACP_TURN_ACTIVE", 7],
    [new RpcError(-32_602, "Not so."), "RPC_-32602", 7],
    [new ClientError("unsupported", "Too old."), "CONNECTION_FAILED", 4],
    [new ClientError("refused", "Not you."), "UNAUTHORIZED", 5],
  ])("[C14] %s has its code and exit code", (error, code, exitCode) => {
    expect(failureOf(error)).toMatchObject({ code, exitCode, message: error.message });
  });

  it("[C14] that nobody can fix is none", () => {
    expect(failureOf(new TypeError("x is undefined"))).toBeUndefined();
    expect(failureOf("text")).toBeUndefined();
  });

  it("[C880] quotes the output of an agent without what steers a terminal", () => {
    const message = "The agent exited: \u001B]0;x\u0007one\r\n\ttwo\u009B2J\u202E";
    const failure = { code: "A_CODE", message, remedy: "Its \u001B[2J says.", exitCode: 7 };
    expect(describeFailure(failure)).toBe(
      "holdfast: The agent exited: \\e]0;x\\u0007one\n\ttwo\\u009b2J\\u202e (A_CODE)\n  Its \\e[2J says.\n",
    );
    const line = failureLine(failure);
    expect(line.trimEnd()).not.toMatch(/[\p{Cc}\u202E]/u);
    expect(JSON.parse(line)).toEqual({ error: failure });
  });

  it("[C14] is a sentence with its code and the remedy, or one line of JSON", () => {
    const failure = { code: "A_CODE", message: "It went wrong.", remedy: "Do this.", exitCode: 7 };
    expect(describeFailure(failure)).toBe("holdfast: It went wrong. (A_CODE)\n  Do this.\n");
    expect(describeFailure({ ...failure, remedy: undefined })).toBe("holdfast: It went wrong. (A_CODE)\n");
    const line = failureLine(failure);
    expect(line.endsWith("}\n")).toBe(true);
    expect(JSON.parse(line)).toEqual({ error: failure });
  });
});
