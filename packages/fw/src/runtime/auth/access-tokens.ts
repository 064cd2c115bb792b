import type { Context } from "../../declare/context.ts";
import { Fault, StatusError } from "../../declare/errors.ts";
import type { NewToken, Tokens } from "../../declare/token.ts";
import { parseDuration } from "../../lib/duration.ts";
import type { Application } from "../application.ts";
import { CallContext } from "../calls/call-context.ts";
import { outsideTransaction } from "../calls/origin.ts";
import { messages } from "../error-messages.ts";
import { RequestContext } from "../request-context.ts";
import type { RequestToken } from "./session-document.ts";
import type { Session, TokenParts } from "./sessions.ts";
import { managedAccounts } from "./users.ts";

/** Limit: characters of an access token's name. */
const tokenNameCharacters = 100;

/** Implements access tokens on the application's platform. */
export function tokenOperations(application: () => Application): Tokens {
  const accounts = (): ReturnType<typeof managedAccounts> => {
    const app = application();
    if (app.bundle.auth?.tokens !== true)
      throw new Fault("this application has no access tokens: add tokens: true to its Auth");
    return managedAccounts(app);
  };
  return {
    create: async (ctx, { id, provider }, token) => {
      const session = sessionOf(ctx);
      const parent = session?.token;
      if (parent !== undefined && parent.lineage.length > mostAncestors)
        throw new StatusError(403, messages.tokenAncestors(mostAncestors));
      const limits = { roles: rolesOf(token, parent), parent, creator: session?.documentId };
      return accounts().createToken(id, provider, { ...partsOf(token), ...limits });
    },
    list: async (_ctx, { id }) => [...(await accounts().tokens(id))],
    revoke: async (_ctx, { id }, token) => accounts().revokeToken(id, token),
  };
}

function partsOf({ name, expires }: NewToken): Pick<TokenParts, "name" | "lifetime"> {
  if (name.trim() === "" || Array.from(name).length > tokenNameCharacters)
    throw new StatusError(400, messages.tokenName(tokenNameCharacters));
  if (expires === "never") return { name, lifetime: undefined };
  const lifetime = parseDuration(expires);
  if (lifetime === undefined || lifetime < 1_000 || lifetime > longestMs)
    throw new StatusError(400, messages.tokenLifetime);
  return { name, lifetime };
}

/** The maximum lifetime of a token. Keeps the expiry within the range of a Date. */
const longestMs = 100 * 365 * 86_400_000;

/** The maximum number of a token's ancestors. Every request with the token checks all of them. */
const mostAncestors = 8;

/**
 * Returns the roles that limit a new token: the intersection of the requested roles and the roles of `parent`;
 * undefined if there is no limit.
 */
function rolesOf({ roles }: NewToken, parent: RequestToken | undefined): readonly string[] | undefined {
  const requested = roles && [...new Set(roles.map(({ name }) => name))].toSorted();
  const limit = parent?.roles;
  if (limit === undefined) return requested;
  return requested === undefined ? limit : requested.filter((role) => limit.includes(role));
}

function sessionOf(ctx: Context): Session | undefined {
  const outer = outsideTransaction(ctx);
  return outer instanceof CallContext ? outer.session : RequestContext.requestOf(outer)?.session;
}
