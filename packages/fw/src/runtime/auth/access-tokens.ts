import type { Context } from "../../declare/context.ts";
import { Fault, StatusError } from "../../declare/errors.ts";
import type { NewToken, Tokens } from "../../declare/token.ts";
import { parseDuration } from "../../lib/duration.ts";
import { tokenNameCharacters } from "../../lib/limits.ts";
import type { Application } from "../application.ts";
import { CallContext } from "../calls/call-context.ts";
import { outsideTransaction } from "../calls/origin.ts";
import { messages } from "../error-messages.ts";
import { RequestContext } from "../request-context.ts";
import type { SpeakingToken } from "./session-document.ts";
import type { Session, TokenParts } from "./sessions.ts";
import { managedAccounts } from "./users.ts";

/** Carries out what is done with access tokens, on the application's platform. */
export function tokenOperations(application: () => Application): Tokens {
  const declared = (): ReturnType<typeof managedAccounts> => {
    const app = application();
    if (app.bundle.auth?.tokens !== true)
      throw new Fault("this application has no access tokens: write tokens: true in its Auth");
    return managedAccounts(app);
  };
  return {
    create: async (ctx, { id, provider }, token) => {
      const parent = sessionOf(ctx)?.token;
      if (parent !== undefined && parent.lineage.length > mostAncestors)
        throw new StatusError(403, messages.tokenAncestors(mostAncestors));
      return declared().createToken(id, provider, { ...partsOf(token), roles: rolesOf(token, parent), parent });
    },
    list: async (_ctx, { id }) => [...(await declared().tokens(id))],
    revoke: async (_ctx, { id }, token) => declared().revokeToken(id, token),
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

/** What a Date can hold, from any time on. */
const longestMs = 100 * 365 * 86_400_000;

/** Tokens of which one asked for the next: each request with the last of them looks at all. */
const mostAncestors = 8;

/** The roles that a token carries at most: of those that are asked for, what the token has that asks for it. */
function rolesOf({ roles }: NewToken, parent: SpeakingToken | undefined): readonly string[] | undefined {
  const asked = roles && [...new Set(roles.map(({ name }) => name))].toSorted();
  const most = parent?.roles;
  if (most === undefined) return asked;
  return asked === undefined ? most : asked.filter((role) => most.includes(role));
}

function sessionOf(ctx: Context): Session | undefined {
  const outer = outsideTransaction(ctx);
  return outer instanceof CallContext ? outer.session : RequestContext.requestOf(outer)?.session;
}
