import type { ServiceTokens } from "../rest/service-token.ts";

/** A service, and the service account that pushes messages to it. */
interface Pusher {
  /** The URL of the service. */
  readonly audience: string;
  /** The email of the service account that Google uses for pushes. */
  readonly invoker: string;
  readonly tokens: ServiceTokens;
}

/**
 * Creates the check for deliveries and triggers from Google. They carry a token for this service from its pusher
 * account. `verify` returns the reason for a refusal, if any.
 */
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
      if ("refused" in claims) return `the token is invalid: ${String(claims["refused"])}`;
      const { email, email_verified: isVerified } = claims;
      if (email !== invoker) return `the caller is ${JSON.stringify(email) ?? "not named"}`;
      return isVerified === true ? undefined : "the caller's address is not verified";
    },
  };
}
