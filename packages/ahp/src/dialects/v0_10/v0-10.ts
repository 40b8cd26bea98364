// AHP 0.10, which one editor offers: on the wire it is 0.9.
import type { Dialect } from "../dialect.ts";
import { v0_9ChatStyle } from "../v0_9/v0-9.ts";
import { makeDialect } from "../v1_0/make-dialect.ts";

/** AHP 0.10. */
export const v0_10: Dialect = makeDialect("v0_10", v0_9ChatStyle);
