import { isStatusError } from "../../declare/errors.ts";
import { forgetCsrfCookie } from "../access/csrf-tokens.ts";
import type { Request } from "../request.ts";
import { setRetryAfter, wantsHTML } from "../response/refusal.ts";
import { sendEmpty, sendText } from "../response/reply.ts";
import { setSessionCookie } from "./cookie.ts";
import { credentialOf, sessionIdOf, signIn, targetOf } from "./sign-in.ts";
import { type Fields, readFields, valueOf } from "./fields.ts";
import { localPath } from "./next.ts";
import type { NewSession } from "./sessions.ts";
import type { Identity } from "./user.ts";
import { sendSignInPage } from "./sign-in-page.ts";

/** Exchanges what a request signs in with for a session. A browser's form that is refused gets the page again, with what was typed. */
export async function beginSession(request: Request): Promise<void> {
  const fields = await readFields(request);
  try {
    const session = await exchange(request, fields);
    giveCookie(request, session);
    answer(request, fields, session);
  } catch (error) {
    if (!isStatusError(error)) throw error;
    setRetryAfter(request, error);
    if (fields.where !== "form" || !wantsHTML(request)) throw error;
    await sendSignInPage(request, { fields, refusal: error });
  }
}

function exchange(request: Request, fields: Fields): Promise<NewSession> {
  const credential = credentialOf(fields, request.app.settings.signIn);
  return signIn(targetOf(request), credential, sessionIdOf(request));
}

/** A token that was given out before somebody signed in is worth nothing afterwards. */
function giveCookie(request: Request, { id }: NewSession): void {
  (request.cookies ??= []).push(setSessionCookie(id, request.secure));
  forgetCsrfCookie(request);
}

function answer(request: Request, fields: Fields, { identity }: NewSession): void {
  if (fields.where === "form") return leadOn(request, fields);
  const headers = ["Cache-Control", "no-store"];
  sendText(request, 200, "application/json", headers, JSON.stringify({ user: publicIdentity(identity) }));
}

/** Leads a form's browser on to the path that the form names. */
export function leadOn(request: Request, fields: Fields): void {
  sendEmpty(request, 303, ["Cache-Control", "no-store", "Location", localPath(valueOf(fields, "next"))]);
}

function publicIdentity({ id, email, name, provider, emailVerified, roles }: Identity): Identity {
  return { id, email, name, provider, emailVerified, roles };
}
