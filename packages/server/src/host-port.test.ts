// The real host is what the server asks for.
import type { Host } from "@holdfast/core";
import { expectTypeOf, it } from "vitest";
import type { HostPort } from "./host-port.ts";

it("[A1] the host itself can be served", () => {
  expectTypeOf<Host>().toExtend<HostPort>();
});
