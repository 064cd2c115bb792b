import type { Fields } from "../../platform/values.ts";
import type { Session } from "./sessions.ts";
import type { Identity } from "./user.ts";

/** A session as it is kept: its identity, the secret of its forms' tokens, and whether its account is to be read again. */
export interface SessionFields extends Fields, Omit<Identity, "id"> {
  /** The account's id. */
  readonly account: string;
  /** In base64url. */
  readonly csrf: string;
  /** Left out while it is not, as every request reads the text of the document. */
  readonly stale?: true;
  /** Of an access token: what its owner knows it by, when it was made, and the roles that it carries at most. */
  readonly token?: KeptToken;
}

export interface KeptToken extends Fields {
  readonly name: string;
  readonly created: Date;
  readonly roles?: readonly string[];
}

/** What is kept of a session that speaks for the identity as it is now, as far as its token carries that. */
export function sessionFields(
  { id, ...identity }: Identity,
  { csrf, token }: Pick<SessionFields, "csrf" | "token">,
): SessionFields {
  const roles = identity.roles.filter((role) => token?.roles?.includes(role) ?? true);
  return { account: id, ...identity, roles, csrf, ...(token && { token }) };
}

/** The session of a document. */
export function sessionOf(fields: SessionFields): Session {
  const { account: id, email, name, provider, emailVerified, roles, csrf, token } = fields;
  const session = { identity: { id, email, name, provider, emailVerified, roles }, csrf };
  return token === undefined ? session : { ...session, token: token.roles === undefined ? {} : { roles: token.roles } };
}
