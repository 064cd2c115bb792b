import { isStatusError, StatusError } from "../../declare/errors.ts";
import { mayBeCrossOrigin } from "../access/cross-origin.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { sendRefusal, setRetryAfter, wantsHTML } from "../response/refusal.ts";
import { sendEmpty, sendText } from "../response/send.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "../routing/injected-endpoint.ts";
import { clearSessionCookie } from "./cookie.ts";
import { bringsJSON, type Fields, readFields, valueOf } from "./fields.ts";
import { localPath } from "./next.ts";
import type { NewSession } from "./sessions.ts";
import { sessionIdOf, signInBy, targetOf } from "./sign-in.ts";
import { sendSignInPage } from "./sign-in-page.ts";
import type { Identity } from "./user.ts";

/** Where people sign in and out, in every application that declares Auth. */
export const signInEndpoints: InjectedEndpoints = {
  "api/session": {
    methods: ["DELETE", "POST"],
    handle: ofOwnPage((request) =>
      request.exchange.method === "DELETE" ? endSession(request) : beginSession(request),
    ),
  },
  "api/session/signout": { methods: ["POST"], handle: ofOwnPage(signOut) },
  signin: { methods: ["GET", "HEAD"], handle: (request) => sendSignInPage(request) },
};

/** Answers what the application's own pages and programs send, and refusals as what no cache keeps. */
function ofOwnPage(answer: (request: Request) => Promise<void>): InjectedEndpoint["handle"] {
  return async (request) => {
    try {
      requireOwnPage(request);
      await answer(request);
    } catch (error) {
      if (!isStatusError(error)) throw error;
      sendRefusal(request, error, bringsJSON(request) || !wantsHTML(request), "no-store");
    }
  };
}

/**
 * Refuses what a page of another site sends: it could sign its own account in here, or somebody out. A client that says
 * nothing of where it comes from is no browser, and is served. Throws a StatusError 403.
 */
function requireOwnPage({ exchange }: Request): void {
  if (mayBeCrossOrigin(exchange)) throw new StatusError(403, messages.crossSite);
}

/** Exchanges what a request signs in with for a session. A browser's form that is refused gets the page again, with what was typed. */
async function beginSession(request: Request): Promise<void> {
  const fields = await readFields(request);
  try {
    answer(request, fields, await signInBy(request, fields));
  } catch (error) {
    if (!isStatusError(error)) throw error;
    setRetryAfter(request, error);
    if (fields.where !== "form" || !wantsHTML(request)) throw error;
    await sendSignInPage(request, { fields, refusal: error });
  }
}

function answer(request: Request, fields: Fields, { identity }: NewSession): void {
  if (fields.where === "form") return leadOn(request, fields);
  const headers = ["Cache-Control", "no-store"];
  sendText(request, 200, "application/json", headers, JSON.stringify({ user: publicIdentity(identity) }));
}

/** Leads a form's browser on to the path that the form names. */
function leadOn(request: Request, fields: Fields): void {
  sendEmpty(request, 303, ["Cache-Control", "no-store", "Location", localPath(valueOf(fields, "next"))]);
}

function publicIdentity({ id, email, name, provider, emailVerified, roles }: Identity): Identity {
  return { id, email, name, provider, emailVerified, roles };
}

/** Ends the browser's session; where there is none, there is nothing to do. */
async function endSession(request: Request): Promise<void> {
  await end(request);
  sendEmpty(request, 204, ["Cache-Control", "no-store"]);
}

/** The same for a form, which is led on. */
async function signOut(request: Request): Promise<void> {
  const fields = await readFields(request);
  await end(request);
  leadOn(request, fields);
}

async function end(request: Request): Promise<void> {
  const id = sessionIdOf(request);
  if (id !== undefined) await targetOf(request).sessions.end(id);
  (request.cookies ??= []).push(clearSessionCookie(request.secure));
}
