import { isStatusError } from "../../declare/errors.ts";
import { isA } from "../../lib/thrown.ts";
import { usesAccounts } from "../capabilities.ts";
import type { Request } from "../request.ts";
import { setRetryAfter, wantsHTML } from "../response/refusal.ts";
import { sendEmpty, sendText } from "../response/send.ts";
import type { InjectedEndpoints } from "../routing/injected-endpoint.ts";
import { sendCodePage } from "./account/endpoints.ts";
import { CodeNeeded } from "./account/second-step.ts";
import { clearSessionCookie } from "./cookie.ts";
import { type Fields, readFields, valueOf } from "./fields.ts";
import { localPath } from "./next.ts";
import { forOwnPage } from "./own-page.ts";
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

/**
 * Creates a session from the request's credentials. If they are refused, a browser's form is shown again, with its
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
    if (usesAccounts && isA(error, CodeNeeded)) return sendCodePage(request, error, fields);
    await sendSignInPage(request, { fields, refusal: error });
  }
}

function answer(request: Request, fields: Fields, { identity }: NewSession): void {
  if (fields.where === "form") return redirectToNext(request, fields);
  const headers = ["Cache-Control", "no-store"];
  sendText(request, 200, "application/json", headers, JSON.stringify({ user: publicIdentity(identity) }));
}

/** Redirects to the path in the form field `next`. */
function redirectToNext(request: Request, fields: Fields): void {
  sendEmpty(request, 303, ["Cache-Control", "no-store", "Location", localPath(valueOf(fields, "next"))]);
}

function publicIdentity({ id, email, name, provider, emailVerified, roles }: Identity): Identity {
  return { id, email, name, provider, emailVerified, roles };
}

/** Ends the browser's session, if there is one. */
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
