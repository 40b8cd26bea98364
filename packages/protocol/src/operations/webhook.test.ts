// Registration of a webhook: what is accepted and what is refused.
import { describe, expect, it } from "vitest";
import { LIMITS } from "../limits.ts";
import { OPERATIONS } from "../operations.ts";
import { readRequest } from "../request.ts";

function register(body: object): unknown {
  return readRequest(OPERATIONS.createWebhook, { body: JSON.stringify(body) }).body;
}

describe("[W1] the request for a webhook", () => {
  it.each([
    { url: "http://127.0.0.1:8080" },
    { url: "https://example.org/hooks/a@b?token=1", events: ["turn_done"] },
    { url: "https://example.org?x=1", secret: "0123456789abcdef" },
  ])("[W1] is taken: %j", (body) => {
    expect(register(body)).toEqual(body);
  });

  it.each([
    [{}, "url is required"],
    [{ url: "example.org" }, "url must be an address that begins with http:// or https://"],
    [{ url: "ftp://example.org/" }, "url must be an address that begins with http:// or https://"],
    [{ url: "http://me:pass@example.org/" }, "url must name no user"],
    [{ url: "http://example.org/#part" }, "url must name no user and have no part behind a number sign"],
    [
      { url: `http://example.org/${"x".repeat(LIMITS.webhookUrlLength)}` },
      "url must have at most 2048 characters",
    ],
    [{ url: "http://example.org/", events: [] }, "events must not be empty"],
    [{ url: "http://example.org/", events: ["nothing"] }, "events[0] must be one of"],
    [{ url: "http://example.org/", secret: "short" }, "secret must have at least 16 characters"],
    [{ url: "http://example.org/", secret: "sixteen and more words" }, "secret must have printable ASCII"],
    [
      { url: "http://example.org/", event: "turn_done" },
      'The body has no member "event"; it has: url, events, secret',
    ],
  ])("[W1] is refused with what is wrong: case %#", (body, sentence) => {
    expect(() => register(body)).toThrow(sentence);
  });
});
