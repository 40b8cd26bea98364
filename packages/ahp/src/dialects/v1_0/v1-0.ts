// AHP 1.0 and whatever 1.x adds, which clients of 1.0 do not see.
import type { Dialect } from "../dialect.ts";
import { chatStyle } from "./chat.ts";
import { makeDialect } from "./make-dialect.ts";

/** AHP 1.x. */
export const v1_0: Dialect = makeDialect("v1_0", chatStyle);
