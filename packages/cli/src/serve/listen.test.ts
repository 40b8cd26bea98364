// Where the host listens, and what is said when it cannot.
import { HostError, readConfig } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { chooseAddress, explainListenError } from "./serve.ts";

const checked = readConfig({});
if (!checked.ok) throw new Error("no defaults");
const config = checked.value;

describe("[C4] the address", () => {
  it("[C4] is the configuration's, changed by the arguments", () => {
    expect(chooseAddress(config, {})).toEqual({ host: "127.0.0.1", port: 4747 });
    expect(chooseAddress(config, { port: 0, host: "::1" })).toEqual({ host: "::1", port: 0 });
  });

  it.each([
    ["EADDRINUSE", /Port 4747 is taken .* --port 0/],
    ["EACCES", /Port 4747 needs more privileges/],
    ["EADDRNOTAVAIL", /no address 127\.0\.0\.1/],
    ["ENOTFOUND", /no address 127\.0\.0\.1/],
  ])("[C4] %s is explained, also as a cause", (code, sentence) => {
    const error = Object.assign(new Error("listen"), { code });
    for (const each of [error, new HostError("INTERNAL", "Cannot listen", { cause: error })]) {
      const explained = explainListenError(each, config.listen);
      expect(explained).toMatchObject({ exitCode: 3, message: expect.stringMatching(sentence) as string });
    }
  });

  it("[C4] an address that is not allowed is a fault of the set-up", () => {
    const error = explainListenError(new HostError("HOST_NOT_ALLOWED", "Not there"), config.listen);
    expect(error).toMatchObject({ exitCode: 2, message: "Not there" });
  });

  it("[C4] another error stays what it is", () => {
    const error = new Error("other");
    expect(explainListenError(error, config.listen)).toBe(error);
  });
});
