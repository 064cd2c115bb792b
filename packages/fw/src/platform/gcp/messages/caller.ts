import type { ServiceTokens } from "../rest/service-token.ts";

/** Who brings messages and triggers to a service. */
interface Pusher {
  /** The URL of the service. */
  readonly audience: string;
  /** The address of the account in whose name Google brings them. */
  readonly invoker: string;
  readonly tokens: ServiceTokens;
}

/** Knows deliveries and triggers of Google from other requests: by a token that is made for this service and for whoever brings them to it. */
export function pusher({ audience, invoker, tokens }: Pusher): {
  readonly audience: string;
  readonly invoker: string;
  verify(token: string): Promise<string | undefined>;
} {
  return {
    audience,
    invoker,
    async verify(token) {
      const claims = await tokens.read(token);
      if ("refused" in claims) return `the token is not right: ${String(claims["refused"])}`;
      const { email, email_verified: isVerified } = claims;
      if (email !== invoker) return `the caller is ${JSON.stringify(email) ?? "not named"}`;
      return isVerified === true ? undefined : "the caller's address is not verified";
    },
  };
}
