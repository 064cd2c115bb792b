import { isPlatformError } from "../../../packages/fw/src/platform/errors.ts";
import { Passwords } from "../../../packages/fw/src/platform/local/accounts-password.ts";
import type { PostgresPlatform } from "../../../packages/fw/src/platform/postgres/open.ts";
import {
  isTestUser,
  testIdentities,
  testUserWithRoles,
  type TestUser,
} from "../../../packages/fw/src/runtime/auth/test-users.ts";

/** A test user's sign-in, sent as a form or as JSON. */
interface SignIn {
  readonly dev_user?: string;
  readonly role?: string | readonly string[];
  readonly next?: string;
}

const password = "correct horse battery staple";

/**
 * The password's hash, computed with few rounds. A server uses the number of rounds in the hash, so each sign-in takes
 * 1 ms of CPU time instead of 190.
 */
const verifier = new Passwords({ isTemporary: true }).verifierOf(password);

/** Rewrites a test user's sign-in as one with a password, and creates the account; undefined for other bodies. */
export async function passwordSignIn(platform: PostgresPlatform, body: Buffer, type = ""): Promise<Buffer | undefined> {
  const isJson = type.startsWith("application/json");
  const { dev_user: user, role, next } = isJson ? (JSON.parse(body.toString()) as SignIn) : formOf(body);
  if (user === undefined || !isTestUser(user)) return undefined;
  await createAccount(platform, user);
  await testUserWithRoles(platform, user, [role ?? []].flat());
  const fields = { email: testIdentities[user].email, password, ...(next !== undefined && { next }) };
  return Buffer.from(isJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString());
}

async function createAccount({ accounts, transfer }: PostgresPlatform, user: TestUser): Promise<void> {
  if ((await accounts.get(user)) !== undefined) return;
  const account = { ...testIdentities[user], emailVerified: true, disabled: false, hasPassword: true, claims: {} };
  try {
    await transfer.take({ ...account, created: new Date() }, await verifier);
  } catch (error) {
    if (!isPlatformError(error, "exists")) throw error;
  }
}

function formOf(body: Buffer): SignIn {
  const form = new URLSearchParams(body.toString());
  return { ...(Object.fromEntries(form) as SignIn), role: form.getAll("role") };
}
