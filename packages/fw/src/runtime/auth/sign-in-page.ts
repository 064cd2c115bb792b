import type { BundledAuth } from "../bundle.ts";
import { usesAccounts } from "../capabilities.ts";
import { queryPairs, queryText } from "../decode/query-string.ts";
import type { Request } from "../request.ts";
import type { Refusal } from "../response/refusal.ts";
import type { Settings } from "../settings.ts";
import { type Fields, valueOf } from "./fields.ts";
import { accountLinks } from "./account/links-markup.ts";
import { identify } from "./identify.ts";
import { localPath } from "./next.ts";
import { sendFramed } from "./page-frame.ts";
import { type SignInPage, signInDocument } from "./sign-in-markup.ts";
import { targetOf } from "./sign-in.ts";

export interface RefusedSignIn {
  readonly fields: Fields;
  readonly refusal: Refusal;
}

/**
 * Sends the framework's sign-in page; after a refused sign-in, with its fields filled in and the reason. Responds with
 * 503 if a deployed service has no provider.
 */
export async function sendSignInPage(request: Request, failure?: RefusedSignIn): Promise<void> {
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

/** Returns the forms for the application's own accounts. Test users exist only in development. */
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

/** Returns the fields of a refused form, without the password. */
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
