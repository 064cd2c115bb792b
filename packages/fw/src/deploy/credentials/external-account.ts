import { readFile } from "node:fs/promises";
import type { Token } from "../../platform/gcp/rest/identity.ts";
import { scope, type TokenClient } from "./token-client.ts";

/**
 * Credentials without a key: another identity provider, such as a CI, vouches for the account (workload identity
 * federation).
 */
export interface ExternalAccount {
  readonly type: "external_account";
  readonly audience: string;
  readonly subject_token_type: string;
  readonly token_url: string;
  readonly service_account_impersonation_url?: string;
  readonly credential_source: {
    readonly file?: string;
    readonly url?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly format?: { readonly type?: "text" | "json"; readonly subject_token_field_name?: string };
  };
}

/** Exchanges the provider's token for one of Google's. */
export async function exchangeExternal(account: ExternalAccount, ask: TokenClient): Promise<Token> {
  const { audience, subject_token_type, token_url, service_account_impersonation_url: url } = account;
  const exchanged = await ask.form(token_url, {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    audience,
    scope,
    subject_token: await subjectToken(account, ask),
    subject_token_type,
  });
  return url === undefined ? exchanged : ask.impersonated(url, exchanged.text);
}

async function subjectToken({ credential_source: source }: ExternalAccount, ask: TokenClient): Promise<string> {
  const { file, url, headers = {}, format = {} } = source;
  if (file === undefined && url === undefined)
    throw new Error(
      "these credentials get their token from a program or another cloud; fw supports only files and URLs",
    );
  const text = file === undefined ? await ask.get(url ?? "", headers) : await readFile(file, "utf8");
  if (format.type !== "json") return text.trim();
  const fields = JSON.parse(text) as Readonly<Record<string, string>>;
  return fields[format.subject_token_field_name ?? "access_token"] ?? "";
}
