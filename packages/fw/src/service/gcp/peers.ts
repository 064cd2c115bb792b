import type { Cloud } from "../../platform/gcp/cloud.ts";
import { serviceAccountEmail, serviceUrl } from "../../platform/gcp/names.ts";
import type { Place } from "../../platform/gcp/place.ts";
import type { ServiceTokens } from "../../platform/gcp/rest/service-token.ts";
import type { ServiceVerifier } from "../../runtime/access/service-call.ts";
import type { ServiceDirectory } from "../../runtime/remote/directory.ts";

/** Where the other services of the application are: Cloud Run's addresses are known before there are any services. */
export function cloudDirectory(place: Place, { identity, hosts }: Pick<Cloud, "identity" | "hosts">): ServiceDirectory {
  return {
    name: place.service,
    addressOf(service) {
      const { protocol, hostname, port } = hosts(new URL(serviceUrl(place, service)));
      const host = hostname.includes(":") ? `[${hostname}]` : hostname;
      return `${protocol}//${host}${port === "" ? "" : `:${port}`}`;
    },
    hostOf: (service) => new URL(serviceUrl(place, service)).host,
    tokenFor: (service) => identity.idToken(serviceUrl(place, service)),
    forgetToken: (service, token) => identity.forgetIdToken?.(serviceUrl(place, service), token),
  };
}

/**
 * Verifies calls of the application's other services by the tokens of their service accounts. An account's name is made
 * of the service's, and sometimes a hash of it: so a caller names itself, and the token has to be of that service's
 * account. `callers` are the services whose code calls this one; a token of any other is refused.
 */
export function serviceVerifier(place: Place, tokens: ServiceTokens, callers: readonly string[]): ServiceVerifier {
  return {
    async verify(token, named) {
      if (named === undefined || !callers.includes(named)) return undefined;
      const claims = await tokens.read(token);
      if ("refused" in claims || claims["email_verified"] !== true) return undefined;
      return claims["email"] === serviceAccountEmail(place, named) ? named : undefined;
    },
  };
}
