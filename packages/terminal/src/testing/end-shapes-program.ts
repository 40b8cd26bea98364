// The program for `endShapes`: takes the mechanism as its argument and prints the results as JSON.
import type { TreeMechanism } from "../process/index.ts";
import { endShapes } from "./end-shapes.ts";

console.log(JSON.stringify(await endShapes(process.argv[2] as TreeMechanism)));
