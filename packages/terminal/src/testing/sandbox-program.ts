// The program for `checkSandbox`: takes the name of a backend as its argument and prints the results as JSON.
import { checkSandbox } from "./sandbox-checks.ts";

const [, , name = "default"] = process.argv;
console.log(JSON.stringify(await checkSandbox(name === "default" ? undefined : name)));
