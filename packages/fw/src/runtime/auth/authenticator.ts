import { hash } from "node:crypto";
import type { Authenticated } from "../../declare/authenticator.ts";
import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import { formatDuration } from "../../lib/duration.ts";
import { isPromise } from "../../lib/promise.ts";
import type { BundledAuthenticator } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";
import { hasCredentials, type Credentials } from "./authenticator-credentials.ts";
import type { Session } from "./sessions.ts";
import type { Identity } from "./user.ts";

/** Limit: milliseconds that an authenticator may take. */
export const authenticatorMs = 10_000;

/** An authenticator whose code is in this service. */
type OwnAuthenticator = BundledAuthenticator & Required<Pick<BundledAuthenticator, "declaration" | "decode">>;

/**
 * Calls the authenticator for `credentials`. Returns a session that is not stored; undefined if the credentials do not
 * fit the declared types or belong to no user, or if this service has no code for them. Clients never see the messages
 * of the authenticator's errors. `ctx` must be a context without a user.
 */
export function authenticate(
  authenticators: readonly BundledAuthenticator[],
  credentials: Credentials,
  ctx: Context,
): Promise<Session | undefined> | Session | undefined {
  const { fields, query } = credentials;
  const authenticator = authenticators.filter(isOwn).find((each) => hasCredentials(each, fields, query));
  if (authenticator === undefined) return undefined;
  try {
    const result = authenticator.declaration.handler(ctx, decodeInput(authenticator, credentials) as never);
    if (!isPromise(result)) return sessionOf(authenticator, credentials, result);
    return withTimeout(authenticator, result).then(
      (user) => sessionOf(authenticator, credentials, user),
      (error: unknown) => {
        throw failureOf(authenticator, error);
      },
    );
  } catch (error) {
    if (error instanceof BadInput) return undefined;
    throw failureOf(authenticator, error);
  }
}

function isOwn(each: BundledAuthenticator): each is OwnAuthenticator {
  return each.declaration !== undefined && each.decode !== undefined;
}

/**
 * Decodes the input of an authenticator. Throws a BadInput for credentials of another type, which belong to no user.
 */
function decodeInput({ decode }: OwnAuthenticator, { fields, query }: Credentials): unknown {
  return decode({ params: [], query, body: undefined, form: undefined, fields });
}

function failureOf({ name }: BundledAuthenticator, error: unknown): Error {
  return new Error(`the authenticator ${name} failed`, { cause: error });
}

/** Settles like `work`, or rejects if it exceeds the time limit, so a slow external service does not stall requests. */
async function withTimeout<T>({ name }: BundledAuthenticator, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`${name} took longer than ${formatDuration(authenticatorMs)}`);
    timer = setTimeout(() => reject(error), authenticatorMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Creates the session. Forms need a token only if browsers send the credentials automatically. The token is derived
 * from the credentials, so it cannot be computed without them.
 */
function sessionOf(
  { name }: BundledAuthenticator,
  { isAmbient, text }: Credentials,
  user: Authenticated | undefined,
): Session | undefined {
  if (user === undefined || user === null) return undefined;
  const identity = identityOf(name, user);
  const csrf = hash("sha256", `fw forms\0${text}`, "base64url");
  return isAmbient ? { identity, csrf } : { identity, csrf, token: { lineage: [] } };
}

/** Returns an authenticator's identity, with defaults for its optional members. Throws a Fault if it has no id. */
function identityOf(authenticator: string, user: Authenticated): Identity {
  const { id, email = "", name = "", emailVerified = false, roles = [] } = user;
  if (typeof id !== "string" || id === "")
    throw new Fault(`the authenticator ${authenticator} returned a user without an id`);
  const provider = "provider" in user ? (user.provider as Identity["provider"]) : "other";
  const names = roles.map((role) => (typeof role === "string" ? role : role.name));
  return { id, email, name, provider, emailVerified, roles: [...new Set(names)].toSorted() };
}
