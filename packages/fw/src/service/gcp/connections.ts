import type { CloudLocation } from "../../platform/gcp/cloud-location.ts";
import type { Cloud } from "../../platform/gcp/cloud.ts";
import { pusher } from "../../platform/gcp/messages/caller.ts";
import { pusherEmail, serviceUrl, serviceAccountEmail } from "../../platform/gcp/names.ts";
import { CallerTokens } from "../../platform/gcp/rest/caller-tokens.ts";
import { googleKeys, serviceTokens, type ServiceTokens } from "../../platform/gcp/rest/service-token.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { usesBackground, usesCallers, usesRemotes } from "../../runtime/capabilities.ts";
import type { ServicePlacement } from "../platform.ts";
import { invokerCheck } from "./invoker-check.ts";
import type { Hosts } from "../../platform/gcp/rest/hosts.ts";
import type { ServiceVerifier } from "../../runtime/access/service-call.ts";
import type { ServiceDirectory } from "../../runtime/remote/directory.ts";

interface ServiceConnections {
  readonly bundle: Bundle;
  /** The services whose code calls this one. */
  readonly callers: readonly string[];
}

/** Returns the addresses of the service's peers, and verifiers for its callers, messages and triggers. */
export function connections(
  cloud: Cloud,
  place: CloudLocation,
  { bundle, callers }: ServiceConnections,
): Pick<ServicePlacement["options"], "services" | "callers" | "caller"> {
  const services = usesRemotes
    ? { services: cloudDirectory(place, { hosts: cloud.hosts, tokens: new CallerTokens(cloud) }) }
    : {};
  if (!usesCallers && !usesBackground) return services;
  const audience = serviceUrl(place, place.service);
  const tokens = serviceTokens({
    audience,
    keys: googleKeys(cloud),
    isVerifiedBefore: isPrivate(bundle) ? invokerCheck(audience, cloud) : () => Promise.resolve(false),
    now: () => cloud.clock.now(),
  });
  return {
    ...services,
    ...(usesCallers && { callers: serviceVerifier(place, tokens, callers) }),
    ...(usesBackground && { caller: pusher({ audience, invoker: pusherEmail(place, place.service), tokens }) }),
  };
}

/** True if only the platform and other services may call the service. Cloud Run then refuses all other callers. */
function isPrivate({ endpoints, packages }: Bundle): boolean {
  return endpoints.every((endpoint) => endpoint.private) && packages.every(({ site }) => site === undefined);
}

/**
 * Returns the addresses of the application's other services. On Cloud Run, they are known before the services exist.
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
 * Verifies calls from the application's other services by their service account tokens. A caller also sends its service
 * name, because its account's name may be a hash, and the token must match the name. Only the services in `callers` may
 * call this one.
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
