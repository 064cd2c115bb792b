import { serviceAccountEmail, serviceUrl } from "../../platform/gcp/names.ts";
import type { CloudLocation } from "../../platform/gcp/cloud-location.ts";
import type { CallerTokens } from "../../platform/gcp/rest/caller-tokens.ts";
import type { Hosts } from "../../platform/gcp/rest/hosts.ts";
import type { ServiceTokens } from "../../platform/gcp/rest/service-token.ts";
import type { ServiceVerifier } from "../../runtime/access/service-call.ts";
import type { ServiceDirectory } from "../../runtime/remote/directory.ts";

/**
 * Returns the addresses of the application's other services. Cloud Run's addresses are known before the services exist.
 */
export function cloudDirectory(
  place: CloudLocation,
  { hosts, tokens }: { readonly hosts: Hosts; readonly tokens: Pick<CallerTokens, "token" | "forget"> },
): ServiceDirectory {
  return {
    name: place.service,
    addressOf(service) {
      const { protocol, hostname, port } = hosts(new URL(serviceUrl(place, service)));
      const host = hostname.includes(":") ? `[${hostname}]` : hostname;
      return `${protocol}//${host}${port === "" ? "" : `:${port}`}`;
    },
    hostOf: (service) => new URL(serviceUrl(place, service)).host,
    tokenFor: (service) => tokens.token(serviceUrl(place, service)),
    forgetToken: (service, token) => tokens.forget(serviceUrl(place, service), token),
  };
}

/**
 * Verifies calls from the application's other services by the tokens of their service accounts. A caller states its
 * name, because the account's name may be a hash of the service's; the token must be from the account of the stated
 * service. Refuses services other than `callers`, which have code that calls this one.
 */
export function serviceVerifier(
  place: CloudLocation,
  tokens: ServiceTokens,
  callers: readonly string[],
): ServiceVerifier {
  return {
    async verify(token, claimedName) {
      if (claimedName === undefined || !callers.includes(claimedName)) return undefined;
      const claims = await tokens.read(token);
      if ("refused" in claims || claims["email_verified"] !== true) return undefined;
      return claims["email"] === serviceAccountEmail(place, claimedName) ? claimedName : undefined;
    },
  };
}
