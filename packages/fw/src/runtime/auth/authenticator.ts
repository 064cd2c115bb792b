import { hash } from "node:crypto";
import type { Authenticated } from "../../declare/authenticator.ts";
import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import { formatDuration } from "../../lib/duration.ts";
import { authenticatorMs } from "../../lib/limits.ts";
import { isPromise } from "../../lib/promise.ts";
import type { BundledAuthenticator } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";
import { isBrought, type Credentials } from "./authenticator-credentials.ts";
import type { Session } from "./sessions.ts";
import type { Identity } from "./user.ts";

/** An authenticator in a service that has its code. */
type Asked = BundledAuthenticator & Required<Pick<BundledAuthenticator, "declaration" | "decode">>;

/**
 * Asks the authenticator of these credentials whose they are: a session that nothing keeps, or undefined for nobody. What goes wrong in it
 * becomes an error that no visitor can read. `ctx` is a context of nobody.
 */
export function authenticate(
  authenticators: readonly BundledAuthenticator[],
  credentials: Credentials,
  ctx: Context,
): Promise<Session | undefined> | Session | undefined {
  const { fields, query } = credentials;
  const asked = authenticators.filter(isAsked).find((each) => isBrought(each, fields, query));
  if (asked === undefined) return undefined;
  try {
    const found = asked.declaration.handler(ctx, decoded(asked, credentials) as never);
    if (!isPromise(found)) return sessionOf(asked, credentials, found);
    return inTime(asked, found).then(
      (said) => sessionOf(asked, credentials, said),
      (error: unknown) => {
        throw failureOf(asked, error);
      },
    );
  } catch (error) {
    if (error instanceof BadInput) return undefined;
    throw failureOf(asked, error);
  }
}

function isAsked(each: BundledAuthenticator): each is Asked {
  return each.declaration !== undefined && each.decode !== undefined;
}

/** Credentials of another type than the authenticator reads are nobody's. Throws a BadInput. */
function decoded({ decode }: Asked, { fields, query }: Credentials): unknown {
  return decode({ params: [], query, body: undefined, form: undefined, fields });
}

function failureOf({ name }: BundledAuthenticator, error: unknown): Error {
  return new Error(`the authenticator ${name} failed`, { cause: error });
}

/** Rejects where it takes too long: whoever waits for a request is not to wait for somebody else's service. */
async function inTime<T>({ name }: BundledAuthenticator, work: Promise<T>): Promise<T> {
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

/** Only where a browser sends the credentials by itself do forms need a token: it is made of them, so that nobody without them knows it. */
function sessionOf(
  { name }: BundledAuthenticator,
  { isAmbient, text }: Credentials,
  said: Authenticated | undefined,
): Session | undefined {
  if (said === undefined || said === null) return undefined;
  const identity = identityOf(name, said);
  const csrf = hash("sha256", `fw forms\0${text}`, "base64url");
  return isAmbient ? { identity, csrf } : { identity, csrf, token: { lineage: [] } };
}

/** Throws a Fault for what is nobody's identity. */
function identityOf(authenticator: string, said: Authenticated): Identity {
  const { id, email = "", name = "", emailVerified = false, roles = [] } = said;
  if (typeof id !== "string" || id === "")
    throw new Fault(`the authenticator ${authenticator} returned somebody without an id`);
  const provider = "provider" in said ? (said.provider as Identity["provider"]) : "other";
  const names = roles.map((role) => (typeof role === "string" ? role : role.name));
  return { id, email, name, provider, emailVerified, roles: [...new Set(names)].toSorted() };
}
