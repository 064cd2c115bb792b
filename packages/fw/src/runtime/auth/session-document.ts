import type { Document } from "../../platform/contract.ts";
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

/** The document of a session or of a token, as far as its token depends on it. */
type SessionDocument = Pick<Document, "id"> & { readonly expires?: Date | undefined };

export interface KeptToken extends Fields {
  readonly name: string;
  readonly created: Date;
  readonly roles?: readonly string[];
  /** The document ids of the token that asked for this one, of the token that asked for that one, and so on. */
  readonly ancestors?: readonly string[];
}

/** The token that speaks for a request, which bounds every token that the request makes. */
export interface SpeakingToken {
  /** The names of the roles that it carries at most. */
  readonly roles?: readonly string[];
  readonly expires?: Date;
  /** The document ids of this token and of its ancestors; empty for the credentials of an authenticator. */
  readonly lineage: readonly string[];
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
export function sessionOf(fields: SessionFields, document: SessionDocument): Session {
  const { account: id, email, name, provider, emailVerified, roles, csrf, token } = fields;
  const session = { identity: { id, email, name, provider, emailVerified, roles }, csrf };
  return token === undefined ? session : { ...session, token: speakingToken(token, document) };
}

function speakingToken({ roles, ancestors = [] }: KeptToken, { id, expires }: SessionDocument): SpeakingToken {
  return { ...(roles && { roles }), ...(expires && { expires }), lineage: [id, ...ancestors] };
}
