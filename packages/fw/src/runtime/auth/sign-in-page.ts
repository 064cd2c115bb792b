import type { BundledAuth } from "../bundle.ts";
import { queryPairs, queryText } from "../decode/query-string.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import type { Request } from "../request.ts";
import type { Refusal } from "../response/refusal.ts";
import { htmlType, sendText } from "../response/send.ts";
import { type Fields, valueOf } from "./fields.ts";
import { identify } from "./identify.ts";
import { localPath } from "./next.ts";
import { type SignInPage, signInDocument } from "./sign-in-markup.ts";
import { signInStyleSource } from "./sign-in-style.ts";
import { targetOf } from "./sign-in.ts";

/** A sign-in by form that was refused. */
export interface RefusedSignIn {
  readonly fields: Fields;
  readonly refusal: Refusal;
}

/**
 * Sends the framework's sign-in page: with what was typed and why it was refused, after a sign-in that was. Deployed without a
 * provider's flow it says so, with 503.
 */
export async function sendSignInPage(request: Request, refused?: RefusedSignIn): Promise<void> {
  await identify(request);
  const page = pageOf(request, refused);
  const status = refused?.refusal.status ?? (typeof page.ways === "object" ? 200 : 503);
  sendText(request, status, htmlType, headersOf(request), signInDocument(page));
}

function pageOf(request: Request, refused: RefusedSignIn | undefined): SignInPage {
  const { auth } = targetOf(request);
  const { app, session } = request;
  const next = localPath(refused === undefined ? nextOf(request) : valueOf(refused.fields, "next"));
  return {
    app: app.bundle.app,
    next,
    identity: session?.identity,
    refusal: refused?.refusal.message,
    ways: app.settings.signIn === "provider" ? flowOf(request, next) : ownWays(app.settings.signIn, auth, refused),
  };
}

/** Where nobody works on the application there are no test users, and without passwords no way at all. */
function ownWays(way: "local" | "accounts", auth: BundledAuth, refused: RefusedSignIn | undefined): SignInPage["ways"] {
  const ways = { password: auth.password, typed: typedIn(refused) };
  if (way === "local") return { ...ways, testUsers: auth };
  return auth.password ? ways : "no passwords";
}

function nextOf({ query }: Request): string | undefined {
  return queryText(queryPairs(query), "next", "query next");
}

/** What a refused form held, but for the password. */
function typedIn(refused: RefusedSignIn | undefined): { readonly email: string; readonly roles: readonly string[] } {
  if (refused === undefined) return { email: "", roles: [] };
  const { fields } = refused;
  return { email: valueOf(fields, "email") ?? "", roles: fields.values.get("role") ?? [] };
}

function flowOf(request: Request, next: string): SignInPage["ways"] {
  const { signInFlow: flow } = request.app;
  if (flow === undefined) return undefined;
  const { social, password } = targetOf(request).auth;
  return { content: flow.content({ action: "/_fw/api/session", next, social, password }) };
}

function headersOf({ app }: Request): RawHeaders {
  return Object.entries({
    "Content-Security-Policy": withSources(app.settings.signIn === "provider" ? (app.signInFlow?.sources ?? {}) : {}),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    // A browser that is told to say nothing of where it comes from could not be told from one that hides it. A provider may
    // ask which site its visitors come from.
    "Referrer-Policy": app.signInFlow === undefined ? "same-origin" : "strict-origin-when-cross-origin",
  }).flat();
}

type Sources = Readonly<Record<string, readonly string[]>>;

const ownSources: Sources = {
  "default-src": ["'none'"],
  "style-src": [signInStyleSource],
  "img-src": ["'self'"],
  "form-action": ["'self'"],
  "base-uri": ["'none'"],
  "frame-ancestors": ["'none'"],
};

/** The page's content security policy, with what a provider's flow needs besides. */
function withSources(more: Sources): string {
  const directives = [...new Set([...Object.keys(ownSources), ...Object.keys(more)])];
  return directives.map((name) => [name, ...(ownSources[name] ?? []), ...(more[name] ?? [])].join(" ")).join("; ");
}
