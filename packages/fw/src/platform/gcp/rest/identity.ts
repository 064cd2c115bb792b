import type { Clock } from "../../contract.ts";
import type { Metadata } from "./metadata.ts";

/** The Google service account that the process runs as. */
export interface CloudIdentity {
  /** Returns a token for Google's APIs that is valid for at least another 30 seconds. */
  accessToken(): Promise<string>;
  email(): Promise<string>;
  /** Drops a rejected access token, so that the next call fetches a new one. */
  forgetAccessToken(token: string): void;
}

/** Milliseconds before expiry at which a token is renewed. The metadata server renews it a minute earlier. */
const earlyMs = 240_000;

/** Milliseconds before expiry at which callers start to wait for the new token. */
const lastMs = 30_000;

export interface Token {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly ends: number;
}

interface CachedToken {
  readonly text: string;
  /** The token's expiry on the monotonic clock. */
  readonly until: number;
}

/** The service account's path on the metadata server. */
export const account = "instance/service-accounts/default";

/** Creates an identity that gets its tokens from the metadata server. Concurrent callers share each renewal. */
export function metadataIdentity(metadata: Metadata, clock: Clock): CloudIdentity {
  const access = new RenewedToken(clock, async () => {
    const requestedAt = clock.now();
    const response = JSON.parse(await metadata(`${account}/token`)) as { access_token: string; expires_in: number };
    return { text: response.access_token, ends: requestedAt + response.expires_in * 1000 };
  });
  let email: Promise<string> | undefined;
  return {
    accessToken: () => access.get(),
    forgetAccessToken: (token) => access.forget(token),
    email: () => {
      email ??= metadata(`${account}/email`).catch((error: unknown) => {
        email = undefined;
        throw error;
      });
      return email;
    },
  };
}

/** A token that is fetched on first use and renewed before it expires. */
export class RenewedToken {
  readonly #clock: Clock;
  readonly #fetch: () => Promise<Token>;
  #token: CachedToken | undefined;
  #fetching: Promise<CachedToken> | undefined;

  constructor(clock: Clock, fetch: () => Promise<Token>) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  async get(): Promise<string> {
    const remaining = (this.#token?.until ?? 0) - this.#clock.elapsed();
    if (this.#token !== undefined && remaining > earlyMs) return this.#token.text;
    const fetching = this.#renew();
    if (this.#token === undefined || remaining <= lastMs) return (await fetching).text;
    fetching.catch(() => {});
    return this.#token.text;
  }

  forget(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  #renew(): Promise<CachedToken> {
    // Converts the token's expiry to the monotonic clock, because the wall clock may be set back.
    const offset = this.#clock.elapsed() - this.#clock.now();
    this.#fetching ??= this.#fetch()
      .then(({ text, ends }) => (this.#token = { text, until: ends + offset }))
      .finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }
}
