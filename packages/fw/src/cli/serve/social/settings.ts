import { Refusal } from "../../command.ts";
import type { IO } from "../../io.ts";

/** The OpenID Connect provider for sign-in, and this application's registration there. */
export interface SocialSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** True if an email address counts as verified when the provider does not say whether it is. */
  readonly trustsEmail: boolean;
}

const names = ["FW_OIDC_ISSUER", "FW_OIDC_CLIENT_ID", "FW_OIDC_CLIENT_SECRET"] as const;

/** Reads the provider from `FW_OIDC_…`; undefined if none is set. Refuses incomplete or unsafe settings. */
export function readSocialSettings(env: IO["env"]): SocialSettings | undefined {
  const [issuer = "", clientId = "", clientSecret = ""] = names.map((name) => env[name]);
  const missing = names.filter((name) => (env[name] ?? "") === "");
  if (missing.length === names.length) return undefined;
  if (missing.length > 0)
    throw new Refusal(`missing ${missing.join(" and ")}: set all of ${names.join(", ")}, or none`);
  return { issuer: issuerOf(issuer), clientId, clientSecret, trustsEmail: readFlag(env["FW_OIDC_TRUST_EMAIL"]) };
}

/** True for a provider on this machine, which needs no TLS. */
export function isLoopback({ hostname }: URL): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

function issuerOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url));
  if (url === undefined || !isSafe || url.search !== "" || url.hash !== "" || url.username !== "")
    throw new Refusal(`FW_OIDC_ISSUER must be the https address of a provider, such as https://accounts.google.com`);
  return url;
}

function readFlag(value: string | undefined): boolean {
  if (value === undefined || value === "" || value === "false") return false;
  if (value === "true") return true;
  throw new Refusal(`FW_OIDC_TRUST_EMAIL must be "true" or "false", not ${JSON.stringify(value)}`);
}
