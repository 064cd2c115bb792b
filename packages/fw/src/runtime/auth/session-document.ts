import type { Document } from "../../platform/contract.ts";
import type { Fields } from "../../platform/values.ts";
import type { Session } from "./sessions.ts";
import type { Identity } from "./user.ts";

/** The stored fields of a session or access token. */
export interface SessionFields extends Fields, Omit<Identity, "id"> {
  readonly account: string;
  /** The secret for form tokens, in base64url. */
  readonly csrf: string;
  /** Omitted if false, because every request parses this document. */
  readonly stale?: true;
  /** The first part of the browser's User-Agent header, if users can list their sessions. */
  readonly agent?: string;
  /** The data of an access token; absent for a browser session. */
  readonly token?: StoredToken;
}

/** The parts of a document that the request's token depends on. */
type SessionDocument = Pick<Document, "id"> & { readonly expires?: Date | undefined };

export interface StoredToken extends Fields {
  readonly name: string;
  readonly created: Date;
  readonly roles?: readonly string[];
  /** The document ids of the token that created this one, of that token's creator, and so on. */
  readonly ancestors?: readonly string[];
}

/** The access token of a request, which limits every token that the request creates. */
export interface RequestToken {
  /** The names of the roles that limit the token. */
  readonly roles?: readonly string[];
  readonly expires?: Date;
  /** The document ids of this token and of its ancestors; empty for the credentials of an authenticator. */
  readonly lineage: readonly string[];
}

/** Returns the fields of a session for an identity. If its token is limited to roles, omits the others. */
export function sessionFields(
  { id, ...identity }: Identity,
  { csrf, agent, token }: Pick<SessionFields, "csrf" | "agent" | "token">,
): SessionFields {
  const roles = identity.roles.filter((role) => token?.roles?.includes(role) ?? true);
  return { account: id, ...identity, roles, csrf, ...(agent !== undefined && { agent }), ...(token && { token }) };
}

export function sessionOf(fields: SessionFields, document: SessionDocument): Session {
  const { account: id, email, name, provider, emailVerified, roles, csrf, token } = fields;
  const identity = { id, email, name, provider, emailVerified, roles };
  if (token === undefined) return { identity, csrf, documentId: document.id };
  return { identity, csrf, token: requestToken(token, document) };
}

function requestToken({ roles, ancestors = [] }: StoredToken, { id, expires }: SessionDocument): RequestToken {
  return { ...(roles && { roles }), ...(expires && { expires }), lineage: [id, ...ancestors] };
}
