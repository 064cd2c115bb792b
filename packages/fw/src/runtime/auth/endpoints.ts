import { isStatusError } from "../../declare/errors.ts";
import { isA } from "../../lib/thrown.ts";
import { usesAccounts } from "../capabilities.ts";
import type { Request } from "../request.ts";
import { setRetryAfter, wantsHTML, type Refusal } from "../response/refusal.ts";
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
import type { Identity } from "./user.ts";
import type { BundledAuth } from "../bundle.ts";
import { queryPairs, queryText } from "../decode/query-string.ts";
import type { Settings } from "../settings.ts";
import { identify } from "./identify.ts";
import { sendFramed } from "./page-frame.ts";
import { type SignInPage, signInDocument } from "./sign-in-markup.ts";

/** The sign-in and sign-out endpoints of every application that declares Auth. */
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
 * Creates a session from the request's credentials. In a browser, shows the form for a second step, or the sign-in form
 * again if the credentials are refused.
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

/** Ends the session of a browser that submits a form, and redirects it. */
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

interface RefusedSignIn {
  readonly fields: Fields;
  readonly refusal: Refusal;
}

/**
 * Sends the framework's sign-in page. After a refused sign-in, fills in the fields and shows the reason. Responds with
 * 503 if there is no way to sign in.
 */
async function sendSignInPage(request: Request, failure?: RefusedSignIn): Promise<void> {
  request.authentication = await identify(request);
  const page = pageOf(request, failure);
  const status = failure?.refusal.status ?? (typeof page.methods === "object" ? 200 : 503);
  sendFramed(request, status, signInDocument(page));
}

function pageOf(request: Request, failure: RefusedSignIn | undefined): SignInPage {
  const { auth } = targetOf(request);
  const { app, session } = request;
  const next = localPath(failure === undefined ? nextOf(request) : valueOf(failure.fields, "next"));
  return {
    app: app.bundle.app,
    next,
    identity: session?.identity,
    style: auth.style,
    ...(usesAccounts && auth.account && { links: accountLinks(auth, next, session?.identity) }),
    refusal: failure?.refusal.message,
    methods: app.settings.signIn === "provider" ? flowOf(request, next) : ownMethods(app.settings, auth, failure),
  };
}

/**
 * Returns the application's own ways to sign in, or "no passwords" if there is none. Test users exist only in
 * development.
 */
function ownMethods(
  { signIn, socialHost }: Settings,
  auth: BundledAuth,
  failure: RefusedSignIn | undefined,
): SignInPage["methods"] {
  const ways = { password: auth.password, typed: filledFields(failure) };
  if (signIn === "local") return { ...ways, testUsers: auth };
  if (auth.social && socialHost !== undefined) return { ...ways, socialHost };
  return auth.password ? ways : "no passwords";
}

function nextOf({ query }: Request): string | undefined {
  return queryText(queryPairs(query), "next", "query next");
}

/** Returns the fields of a refused form, except the password. */
function filledFields(failure: RefusedSignIn | undefined): {
  readonly email: string;
  readonly roles: readonly string[];
} {
  if (failure === undefined) return { email: "", roles: [] };
  const { fields } = failure;
  return { email: valueOf(fields, "email") ?? "", roles: fields.values.get("role") ?? [] };
}

function flowOf(request: Request, next: string): SignInPage["methods"] {
  const { signInFlow: flow } = request.app;
  if (flow === undefined) return undefined;
  const { social, password } = targetOf(request).auth;
  return { content: flow.content({ action: "/_fw/api/session", next, social, password }) };
}

/** Renders the links from the sign-in page to the account pages. */
function accountLinks({ signUp }: BundledAuth, next: string, identity: Identity | undefined): string {
  if (identity !== undefined) return `<section><a class="button" href="/_fw/account">Your account</a></section>\n`;
  const create = signUp ? `<p><a href="/_fw/signup?next=${encodeURIComponent(next)}">Create an account</a></p>\n` : "";
  return `<section aria-label="Accounts">
${create}<p><a href="/_fw/forgot">Forgot your password?</a></p>
</section>
`;
}
