// The promises of sandboxes, for every backend that this machine has, as root and as an ordinary user.
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { OrdinaryUser } from "../testing/ordinary-user.ts";
import { checkSandbox, gapsOf, type SandboxResults } from "../testing/sandbox-checks.ts";

guardLeaks();

const isRoot = process.getuid?.() === 0;
const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const own = isRoot ? "bubblewrap-root" : "bubblewrap-user";

const gapOf = (name: string): SandboxResults =>
  Object.fromEntries(gapsOf(name).map((title) => [title, expect.any(String) as string]));

const allTrue = (results: SandboxResults): SandboxResults =>
  Object.fromEntries(Object.keys(results).map((title) => [title, true]));

describe.runIf(process.platform === "linux")("sandboxes", () => {
  // The short form tries the backend itself, and its variants with the ordinary user below.
  const variants = [`${own}+util-linux`, `${own}+shared`, ...(isRoot ? [] : [`${own}+util-linux+shared`])];
  it.each([own, ...(isLong || !isRoot ? variants : [])])(
    "[T640][T641][T642][T643][T647][T654][V649] keep every promise with %s",
    async (name) => {
      const { backend, results } = await checkSandbox(name);
      expect(backend).toBe(own);
      // For root without a PID namespace, Landlock keeps commands from tracing others, and forbids mounts.
      const hasNested = !(isRoot && name.endsWith("+shared"));
      const nested = hasNested ? {} : { "a program can open another sandbox": expect.any(String) as string };
      expect(results).toEqual({ ...allTrue(results), ...nested, ...gapOf(name) });
    },
    60_000,
  );

  it.runIf(isRoot)("[T645] are not made where root could read other processes' files", async () => {
    await expect(checkSandbox(`${own}+util-linux+shared`)).rejects.toThrow("by way of other processes");
  });

  it("[T640][T641][T642][T647][T650] keep every promise with Landlock", async () => {
    const { backend, results } = await checkSandbox("landlock");
    expect(backend).toBe("landlock");
    expect(results).toEqual(allTrue(results));
  }, 60_000);
});

describe.runIf(process.platform === "linux" && isRoot)("sandboxes of an ordinary user", () => {
  let user: OrdinaryUser;
  beforeAll(() => {
    user = new OrdinaryUser();
  });
  afterAll(() => user.close());

  it.each(["bubblewrap-user+util-linux", ...(isLong ? ["bubblewrap-user", "landlock"] : [])])(
    "[T640][T641][T642][T643][T650][T654][V649] keep every promise with %s",
    async (name) => {
      const { backend, results } = JSON.parse(await user.run(name, "sandbox-program")) as Awaited<
        ReturnType<typeof checkSandbox>
      >;
      expect(backend).toBe(name.replace("+util-linux", ""));
      expect(results).toEqual({ ...allTrue(results), ...gapOf(name) });
    },
    60_000,
  );
});
