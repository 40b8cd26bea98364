// Bodies that arrive at once: what they take together.
import { HostError } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { BodyReader } from "./request-body.ts";

/** A body that comes piece by piece, as the test sends it. */
class Upload {
  readonly request: Request;
  readonly #pieces = new TransformStream<Uint8Array, Uint8Array>();
  readonly #writer = this.#pieces.writable.getWriter();

  constructor() {
    const headers = { "transfer-encoding": "chunked" };
    const body = this.#pieces.readable;
    this.request = new Request("http://localhost/", { method: "POST", headers, body, duplex: "half" });
  }

  send(text: string): Promise<void> {
    return this.#writer.write(new TextEncoder().encode(text));
  }

  end(): Promise<void> {
    return this.#writer.close();
  }
}

describe("[A82] bodies that are on their way together", () => {
  it("[A82] have a limit in total; a request beyond it must retry later, and those within it continue", async () => {
    const bodies = new BodyReader(10);
    const first = new Upload();
    const second = new Upload();
    const whole = bodies.read(first.request);
    await first.send("123456");
    const refused = bodies.read(second.request).catch((error: unknown) => error);
    await second.send("12345");
    const refusal = await refused;
    expect(refusal).toBeInstanceOf(HostError);
    expect(refusal).toMatchObject({ code: "RATE_LIMITED", details: { retryAfterSeconds: 1 } });
    await first.send("7890");
    await first.end();
    expect(await whole).toBe("1234567890");
  });

  it("[A82] free their share when they end, also when they are cut off", async () => {
    const bodies = new BodyReader(10);
    const cut = new Upload();
    const broken = bodies.read(cut.request, 8).catch((error: unknown) => error);
    await cut.send("123456789");
    expect(await broken).toMatchObject({ code: "BODY_TOO_LARGE" });
    const next = new Upload();
    const whole = bodies.read(next.request);
    await next.send("1234567890");
    await next.end();
    expect(await whole).toBe("1234567890");
  });
});
