import { isStatusError, StatusError } from "../../declare/errors.ts";
import { mayBeCrossOrigin } from "../access/cross-origin.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { sendRefusal, setRetryAfter, wantsHTML } from "../response/refusal.ts";
import { sendEmpty, sendText } from "../response/send.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "../routing/injected-endpoint.ts";
import { clearSessionCookie } from "./cookie.ts";
import { hasJSONBody, type Fields, readFields, valueOf } from "./fields.ts";
import { localPath } from "./next.ts";
import type { NewSession } from "./sessions.ts";
import { sessionIdOf, signInWithFields, targetOf } from "./sign-in.ts";
import { sendSignInPage } from "./sign-in-page.ts";
import type { Identity } from "./user.ts";

/** Sign-in and sign-out endpoints of every application that declares Auth. */
export const signInEndpoints: InjectedEndpoints = {
  "api/session": {
    methods: ["DELETE", "POST"],
    handle: forOwnPage((request) =>
      request.exchange.method === "DELETE" ? endSession(request) : beginSession(request),
    ),
  },
  "api/session/signout": { methods: ["POST"], handle: forOwnPage(signOut) },
  signin: { methods: ["GET", "HEAD"], handle: (request) => sendSignInPage(request) },
};

/** Serves requests from the application's own pages and from programs. Refusals are not cacheable. */
function forOwnPage(answer: (request: Request) => Promise<void>): InjectedEndpoint["handle"] {
  return async (request) => {
    try {
      requireOwnPage(request);
      await answer(request);
    } catch (error) {
      if (!isStatusError(error)) throw error;
      sendRefusal(request, error, hasJSONBody(request) || !wantsHTML(request), "no-store");
    }
  };
}

/**
 * Throws a StatusError 403 for requests from a page of another site, which could sign in with its own account here or
 * sign the user out. Clients that don't send an origin are not browsers and may pass.
 */
function requireOwnPage({ exchange }: Request): void {
  if (mayBeCrossOrigin(exchange)) throw new StatusError(403, messages.crossSite);
}

/**
 * Creates a session from the request's credentials. After a refusal, a browser's form gets the page again, with its
 * fields filled in.
 */
async function beginSession(request: Request): Promise<void> {
  const fields = await readFields(request);
  try {
    answer(request, fields, await signInWithFields(request, fields));
  } catch (error) {
    if (!isStatusError(error)) throw error;
    setRetryAfter(request, error);
    if (fields.where !== "form" || !wantsHTML(request)) throw error;
    await sendSignInPage(request, { fields, refusal: error });
  }
}

function answer(request: Request, fields: Fields, { identity }: NewSession): void {
  if (fields.where === "form") return redirectToNext(request, fields);
  const headers = ["Cache-Control", "no-store"];
  sendText(request, 200, "application/json", headers, JSON.stringify({ user: publicIdentity(identity) }));
}

/** Redirects to the path in the form's `next`. */
function redirectToNext(request: Request, fields: Fields): void {
  sendEmpty(request, 303, ["Cache-Control", "no-store", "Location", localPath(valueOf(fields, "next"))]);
}

function publicIdentity({ id, email, name, provider, emailVerified, roles }: Identity): Identity {
  return { id, email, name, provider, emailVerified, roles };
}

/** Ends the browser's session, if it has one. */
async function endSession(request: Request): Promise<void> {
  await end(request);
  sendEmpty(request, 204, ["Cache-Control", "no-store"]);
}

/** Ends the session and redirects, for forms. */
async function signOut(request: Request): Promise<void> {
  const fields = await readFields(request);
  await end(request);
  redirectToNext(request, fields);
}

async function end(request: Request): Promise<void> {
  const id = sessionIdOf(request);
  if (id !== undefined) await targetOf(request).sessions.end(id);
  request.draft.cookies.push(clearSessionCookie(request.secure));
}
