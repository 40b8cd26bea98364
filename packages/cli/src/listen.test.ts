// Where the host listens, and what is said when it cannot.
import { readConfig } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { chooseAddress, explainListenError } from "./listen.ts";
import { StartError } from "./start-error.ts";

const checked = readConfig({});
if (!checked.ok) throw new Error("no defaults");
const config = checked.value;

describe("[C4] the address", () => {
  it("[C4] is the configuration's, changed by the arguments", () => {
    expect(chooseAddress(config, {})).toEqual({ host: "127.0.0.1", port: 4747 });
    expect(chooseAddress(config, { port: 0, host: "::1" })).toEqual({ host: "::1", port: 0 });
  });

  it.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])("[C4] %s is this machine alone", (host) => {
    expect(chooseAddress(config, { host }).host).toBe(host);
  });

  it.each(["0.0.0.0", "::", "192.168.1.2", "127.example.org", "example.org", ""])(
    "[C4] %j is refused from the arguments and from the file",
    (host) => {
      expect(() => chooseAddress(config, { host })).toThrow(StartError);
      expect(() => chooseAddress({ ...config, listen: { host, port: 1 } }, {})).toThrow("127.0.0.1");
    },
  );

  it.each([
    ["EADDRINUSE", /Port 4747 is taken .* --port 0/],
    ["EACCES", /Port 4747 may not be used/],
    ["EADDRNOTAVAIL", /no address 127\.0\.0\.1/],
  ])("[C4] %s is explained", (code, sentence) => {
    const error = explainListenError(Object.assign(new Error("listen"), { code }), config.listen);
    expect(error).toMatchObject({ exitCode: 3, message: expect.stringMatching(sentence) as string });
  });

  it("[C4] another error stays what it is", () => {
    const error = new Error("other");
    expect(explainListenError(error, config.listen)).toBe(error);
  });
});
