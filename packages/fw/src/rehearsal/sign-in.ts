import { signInBytes } from "../lib/limits.ts";
import { recordIn } from "../lib/record-in.ts";
import type { Accounts } from "../platform/accounts.ts";
import type { CloudClient } from "../platform/gcp/rest/client.ts";
import { isTestUser, testIdentities } from "../runtime/auth/test-users.ts";
import { mediaType, readBody } from "../runtime/body/body.ts";
import type { Request } from "../runtime/request.ts";

/** With which test users sign in on the page. */
export const testPassword = "correct horse battery staple";

/** Where people have accounts in a rehearsal. */
interface SignInParts {
  readonly client: CloudClient;
  readonly accounts: Accounts;
  /** Of the project's web API. */
  readonly apiKey: string;
}

/** What a sign-in of `fw dev` asks for, as a form or as JSON. */
interface Asked {
  readonly dev_user?: string;
  readonly role?: string | readonly string[];
  readonly email?: string;
  readonly password?: string;
  readonly next?: string;
}

/** Makes the accounts of test users. */
export async function makeTestUsers({ accounts }: SignInParts): Promise<void> {
  for (const person of Object.values(testIdentities))
    await accounts.create({ ...person, emailVerified: true, claims: {}, password: testPassword });
}

/**
 * The body of a request to sign in, in which a test user is the ID token that a browser would have of the provider: what asks `fw dev`
 * for a session asks a rehearsal, too. Any other body is as it came.
 */
export async function signInBody(parts: SignInParts, { exchange }: Request): Promise<Buffer> {
  const body = await readBody(exchange, signInBytes);
  const isJson = mediaType(exchange.header("content-type")) === "application/json";
  const asked: Asked = isJson ? (recordIn(body.toString()) ?? {}) : formOf(body);
  const { dev_user: user, email, password = "", next } = asked;
  if (user !== undefined && !isTestUser(user)) return body;
  if (user === undefined && email === undefined) return body;
  if (user !== undefined) await parts.accounts.setClaims(user, { roles: [asked.role ?? []].flat() });
  const idToken =
    user === undefined
      ? await idTokenOf(parts, email ?? "", password)
      : await idTokenOf(parts, testIdentities[user].email, testPassword);
  const signedIn = { idToken, ...(next !== undefined && { next }) };
  return Buffer.from(isJson ? JSON.stringify(signedIn) : new URLSearchParams(signedIn).toString());
}

/** "" where the password does not open the account. */
async function idTokenOf({ client, apiKey }: SignInParts, email: string, password: string): Promise<string> {
  const body = { email, password, returnSecureToken: true };
  const path = "/v1/accounts:signInWithPassword";
  const query = { key: apiKey };
  const answer = client.call<{ idToken?: string }>({ api: "identitytoolkit", method: "POST", path, query, body });
  return (await answer.catch(() => ({ idToken: "" }))).idToken ?? "";
}

function formOf(body: Buffer): Asked {
  const form = new URLSearchParams(body.toString());
  const roles = form.getAll("role");
  return { ...(Object.fromEntries(form) as Asked), ...(roles.length > 0 && { role: roles }) };
}
