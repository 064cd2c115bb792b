import { readFile } from "node:fs/promises";
import type { Api, Endpoint } from "../../platform/gcp/rest/endpoints.ts";
import { providerFlow, type ProviderFlow } from "../../runtime/auth/provider/flow.ts";
import { ConfigurationError } from "../configuration.ts";

/**
 * Opens the sign-in of the identity provider in `FW_AUTH_APIKEY` and `FW_AUTH_DOMAIN`; undefined if both are unset.
 * Throws a ConfigurationError if they are incomplete or invalid.
 */
export function openSignIn(
  env: Readonly<Record<string, string | undefined>>,
  endpointOf: (api: Api) => Endpoint,
  library: string | undefined,
): ProviderFlow | undefined {
  const { FW_AUTH_APIKEY: apiKey = "", FW_AUTH_DOMAIN: domain = "" } = env;
  if (apiKey === "" && domain === "") return undefined;
  if (apiKey === "" || !/^[a-z\d.-]+(?::\d+)?$/i.test(domain))
    throw new ConfigurationError(
      `set both FW_AUTH_APIKEY, the web API key of the project, and FW_AUTH_DOMAIN, the host of its sign-in pages, such as shop.firebaseapp.com`,
    );
  return providerFlow({
    apiKey,
    domain,
    api: browserURL(endpointOf("identitytoolkit")),
    library: library === undefined ? undefined : () => readFile(library, "utf8"),
  });
}

/**
 * Returns the URL of an API for browsers. If Google's host is redirected, the host becomes a prefix of the path,
 * because a browser cannot send it in the Host header.
 */
function browserURL({ target, emulated }: Endpoint): string {
  const { protocol, hostname, port, host, prefix } = target;
  const address = port === "" ? hostname : `${hostname}:${port}`;
  return `${protocol}//${address}${prefix}${emulated || address === host ? "" : `/${host}`}`;
}
