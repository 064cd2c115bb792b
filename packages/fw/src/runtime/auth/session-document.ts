import type { Fields } from "../../platform/values.ts";
import type { Identity, Session } from "./session.ts";

/** A session as it is kept: its identity, the secret of its forms' tokens, and whether its account is to be read again. */
export interface SessionFields extends Fields {
  /** The account's id. */
  readonly account: string;
  readonly email: string;
  readonly name: string;
  readonly provider: Identity["provider"];
  readonly emailVerified: boolean;
  readonly roles: readonly string[];
  /** In base64url. */
  readonly csrf: string;
  /** Left out while it is not, as every request reads the text of the document. */
  readonly stale?: true;
}

/** What is kept of a session that speaks for the identity as it is now. */
export function sessionFields({ id, ...identity }: Identity, csrf: string): SessionFields {
  return { account: id, ...identity, csrf };
}

/** The session of a document. */
export function sessionOf(fields: SessionFields): Session {
  const { account: id, email, name, provider, emailVerified, roles, csrf } = fields;
  return { identity: { id, email, name, provider, emailVerified, roles }, csrf };
}
