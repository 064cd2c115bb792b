import { readFile } from "node:fs/promises";
import type { Api, Endpoint } from "../../platform/gcp/rest/endpoints.ts";
import { providerFlow, type ProviderFlow } from "../../runtime/auth/provider/flow.ts";
import { Misconfigured } from "../configuration.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * How people sign in at the identity provider that `FW_AUTH_APIKEY` and `FW_AUTH_DOMAIN` name; undefined where they name none. Throws a
 * Misconfigured.
 */
export function openSignIn(
  env: Environment,
  endpointOf: (api: Api) => Endpoint,
  library: string | undefined,
): ProviderFlow | undefined {
  const { FW_AUTH_APIKEY: apiKey = "", FW_AUTH_DOMAIN: domain = "" } = env;
  if (apiKey === "" && domain === "") return undefined;
  if (apiKey === "" || !/^[a-z\d.-]+(?::\d+)?$/i.test(domain))
    throw new Misconfigured(
      `FW_AUTH_APIKEY and FW_AUTH_DOMAIN are set together: the key of the project's web API, and the host of its sign-in pages, such as shop.firebaseapp.com`,
    );
  return providerFlow({
    apiKey,
    domain,
    api: browserURL(endpointOf("identitytoolkit")),
    library: library === undefined ? undefined : () => readFile(library, "utf8"),
  });
}

/** A browser names the host that it asks, so where others answer for Google's they are told by the path. */
function browserURL({ target, emulated }: Endpoint): string {
  const { protocol, hostname, port, host, prefix } = target;
  const asked = port === "" ? hostname : `${hostname}:${port}`;
  return `${protocol}//${asked}${prefix}${emulated || asked === host ? "" : `/${host}`}`;
}
