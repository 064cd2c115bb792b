import { signInBytes } from "../lib/limits.ts";
import { recordIn } from "../lib/record-in.ts";
import type { Accounts } from "../platform/accounts.ts";
import type { CloudClient } from "../platform/gcp/rest/client.ts";
import { isTestUser, testIdentities } from "../runtime/auth/test-users.ts";
import { mediaType, readBody } from "../runtime/body/body.ts";
import type { Request } from "../runtime/request.ts";

export const testPassword = "correct horse battery staple";

interface SignInParts {
  readonly client: CloudClient;
  readonly accounts: Accounts;
  /** The project's web API key. */
  readonly apiKey: string;
}

/** The fields of a `fw dev` sign-in, as a form or JSON. */
interface SignInFields {
  readonly dev_user?: string;
  readonly role?: string | readonly string[];
  readonly email?: string;
  readonly password?: string;
  readonly next?: string;
}

export async function makeTestUsers({ accounts }: SignInParts): Promise<void> {
  for (const person of Object.values(testIdentities))
    await accounts.create({ ...person, emailVerified: true, claims: {}, password: testPassword });
}

/**
 * Converts a sign-in body: replaces a test user or a password with the ID token that a browser would get from the
 * provider, so that sign-ins of `fw dev` work in a rehearsal. Returns other bodies unchanged.
 */
export async function signInBody(parts: SignInParts, { exchange }: Request): Promise<Buffer> {
  const body = await readBody(exchange, signInBytes);
  const isJson = mediaType(exchange.header("content-type")) === "application/json";
  const signInFields: SignInFields = isJson ? (recordIn(body.toString()) ?? {}) : formOf(body);
  const { dev_user: user, email, password = "", next } = signInFields;
  if (user !== undefined && !isTestUser(user)) return body;
  if (user === undefined && email === undefined) return body;
  if (user !== undefined) await parts.accounts.setClaims(user, { roles: [signInFields.role ?? []].flat() });
  const idToken =
    user === undefined
      ? await idTokenOf(parts, email ?? "", password)
      : await idTokenOf(parts, testIdentities[user].email, testPassword);
  const converted = { idToken, ...(next !== undefined && { next }) };
  return Buffer.from(isJson ? JSON.stringify(converted) : new URLSearchParams(converted).toString());
}

/** Signs a user in and returns the ID token; "" if that fails, for example because the password is wrong. */
async function idTokenOf({ client, apiKey }: SignInParts, email: string, password: string): Promise<string> {
  const body = { email, password, returnSecureToken: true };
  const path = "/v1/accounts:signInWithPassword";
  const query = { key: apiKey };
  const answer = client.call<{ idToken?: string }>({ api: "identitytoolkit", method: "POST", path, query, body });
  return (await answer.catch(() => ({ idToken: "" }))).idToken ?? "";
}

function formOf(body: Buffer): SignInFields {
  const form = new URLSearchParams(body.toString());
  const roles = form.getAll("role");
  return { ...(Object.fromEntries(form) as SignInFields), ...(roles.length > 0 && { role: roles }) };
}
