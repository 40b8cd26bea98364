// Shows which dialect is chosen from what a client offers.
import { expect, test } from "vitest";
import { negotiate, supportedVersions } from "./negotiate.ts";

test.each([
  [["1.0.0", "0.10.0", "0.9.0"], "v1_0", "1.0.0"],
  [["0.9.0", "1.0.0"], "v1_0", "1.0.0"],
  [["1.0.0", "1.4.2", "1.10.0"], "v1_0", "1.10.0"],
  [["0.10.0", "0.9.0"], "v0_10", "0.10.0"],
  [["0.9.0", "0.8.0", "0.5.1"], "v0_9", "0.9.0"],
  [["0.9.3", "0.9.0"], "v0_9", "0.9.3"],
  [["0.1.0"], "v0_1", "0.1.0"],
  [["2.0.0", "0.1.0"], "v0_1", "0.1.0"],
])("[E1] of %j the highest that both speak is chosen: %s", (protocolVersions, name, protocolVersion) => {
  expect(negotiate({ protocolVersions })).toMatchObject({ ok: true, dialect: { name }, protocolVersion });
});

test.each([
  [["0.8.0", "0.7.0", "0.6.0", "0.5.2", "0.5.1"], "v0_8", "0.8.0"],
  [["0.7.0", "0.6.0"], "v0_7", "0.7.0"],
  [["0.5.1", "0.5.2", "0.6.0"], "v0_6", "0.6.0"],
  [["0.5.2", "0.5.1"], "v0_5_2", "0.5.2"],
  [["0.5.1"], "v0_5_1", "0.5.1"],
  [["0.5.0", "0.4.0", "0.3.0"], "v0_5_0", "0.5.0"],
  [["0.5.7"], "v0_5_2", "0.5.7"],
  [["0.6.3", "0.1.0"], "v0_6", "0.6.3"],
])("[E760] of %j the highest that both speak is chosen: %s", (protocolVersions, name, protocolVersion) => {
  expect(negotiate({ protocolVersions })).toMatchObject({ ok: true, dialect: { name }, protocolVersion });
});

test("[E1] a client that offers the number 1 speaks the seed's dialect and is answered with the number", () => {
  expect(negotiate({ protocolVersion: 1 })).toMatchObject({
    ok: true,
    dialect: { name: "v0_1" },
    protocolVersion: 1,
  });
});

test("[E1] Holdfast's own clients get the model itself, and it is confirmed", () => {
  const answer = negotiate({ protocolVersions: ["1.0.0"], _meta: { holdfast: 1 } });
  expect(answer).toMatchObject({
    ok: true,
    dialect: { name: "holdfast" },
    protocolVersion: "1.0.0",
    _meta: { holdfast: 1 },
  });
});

test.each([{ holdfast: 2 }, { holdfast: "1" }, { other: 1 }, "holdfast", null])(
  "[E1] a client with the meta %j gets plain AHP 1.0",
  (_meta) => {
    const answer = negotiate({ protocolVersions: ["1.0.0"], _meta });
    expect(answer).toMatchObject({ ok: true, dialect: { name: "v1_0" } });
    expect(answer).not.toHaveProperty("_meta");
  },
);

test.each([
  [{ protocolVersions: ["0.2.0", "0.3.0", "0.4.0"] }],
  [{ protocolVersions: ["2.0.0"] }],
  [{ protocolVersion: 2 }],
])("[E1] %j gets the list of available versions", (offer) => {
  expect(negotiate(offer)).toMatchObject({ ok: false, code: -32005, data: { supportedVersions } });
});

test.each([
  [{ protocolVersions: ["1.0"] }],
  [{ protocolVersions: ["1.0.0", "01.0.0"] }],
  [{ protocolVersions: ["1.0.0-rc.1"] }],
  [{ protocolVersions: ["1.0.0", 1] }],
  [{ protocolVersions: [] }],
  [{ protocolVersions: "1.0.0" }],
  [{}],
])("[E1] %j is malformed", (offer) => {
  expect(negotiate(offer)).toMatchObject({ ok: false, code: -32602 });
});
