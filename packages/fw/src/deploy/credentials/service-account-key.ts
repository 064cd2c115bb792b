import { sign } from "node:crypto";
import type { Token } from "../../platform/gcp/rest/identity.ts";
import { scope, type TokenClient } from "./token-client.ts";

export interface ServiceAccountKey {
  readonly type: "service_account";
  readonly client_email: string;
  readonly private_key: string;
  readonly private_key_id?: string;
  readonly token_uri?: string;
}

/** Exchanges an assertion that is signed with the key for an access token. */
export function signedToken(key: ServiceAccountKey, ask: TokenClient): Promise<Token> {
  const { client_email, private_key, private_key_id, token_uri = "https://oauth2.googleapis.com/token" } = key;
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: "RS256", typ: "JWT", ...(private_key_id !== undefined && { kid: private_key_id }) };
  const claims = { iss: client_email, scope, aud: token_uri, iat: now, exp: now + 3600 };
  const signingInput = [header, claims]
    .map((json) => Buffer.from(JSON.stringify(json)).toString("base64url"))
    .join(".");
  const assertion = `${signingInput}.${sign("sha256", Buffer.from(signingInput), private_key).toString("base64url")}`;
  return ask.form(token_uri, { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
}
