// Operations on browsers' sign-ins: links that open the page once, and the sign-ins that came of them.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { defineOperation } from "../operation.ts";

/** A browser that is signed in; its secret is in the browser's cookie alone. */
export const signInSchema = z
  .object({
    id: z.string(),
    device: z.string().describe("The browser and system that signed in, such as Firefox on Linux."),
    address: z.string().describe("The address that it signed in from."),
    createdAt: z.string(),
    lastUsedAt: z.string().describe("To the minute."),
  })
  .meta({ id: "SignIn", description: "A browser that is signed in to the page." });

/** A browser that is signed in. */
export type SignIn = z.infer<typeof signInSchema>;

export const createSignInLink = defineOperation({
  name: "createSignInLink",
  method: "POST",
  path: "/admin/sign-in-links",
  summary: "Make a link that signs one browser in to the page, once",
  permission: "admin",
  stream: false,
  response: successSchema({
    path: z.string().describe("The path and query to open at the host's address."),
    expiresAt: z.string(),
  }),
  errors: [],
});

export const listSignIns = defineOperation({
  name: "listSignIns",
  method: "GET",
  path: "/admin/sign-ins",
  summary: "List the browsers that are signed in, the last used first",
  permission: "admin",
  stream: false,
  response: successSchema({
    signIns: z.array(signInSchema),
    current: z.string().optional().describe("The id of the sign-in that the request was made with."),
  }),
  errors: [],
});

export const revokeSignIn = defineOperation({
  name: "revokeSignIn",
  method: "DELETE",
  path: "/admin/sign-ins/{id}",
  summary: "Sign a browser out immediately",
  permission: "admin",
  params: z.object({ id: z.string() }),
  stream: false,
  response: successSchema({ signIn: signInSchema }),
  errors: ["NOT_FOUND"],
});
