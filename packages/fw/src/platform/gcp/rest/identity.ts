import type { Clock } from "../../contract.ts";
import type { Metadata } from "./metadata.ts";

/** Who the process is for Google. */
export interface CloudIdentity {
  /** A token for Google's APIs that is valid for some minutes at least. */
  accessToken(): Promise<string>;
  /** A token that says to `audience` who this is. */
  idToken(audience: string): Promise<string>;
  /** The address of the service account. */
  email(): Promise<string>;
  /** Asks for another access token next time: the one of now was refused. */
  forgetAccessToken(token: string): void;
  /** The same of an ID token. */
  forgetIdToken?(audience: string, token: string): void;
}

/** Milliseconds before its end from which a token is exchanged for another. The metadata server has a new one five minutes before. */
const earlyMs = 240_000;

/** Milliseconds before its end until which a token is still used while another is fetched. */
const lastMs = 30_000;

/** Audiences of which ID tokens are kept. */
const mostAudiences = 100;

export interface Token {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly ends: number;
}

interface CachedToken {
  readonly text: string;
  /** The end of the token on the monotonic clock. */
  readonly until: number;
}

const account = "instance/service-accounts/default";

/** The identity that the metadata server gives the process. Tokens are kept, and fetched anew before they end, once for all who wait. */
export function metadataIdentity(metadata: Metadata, clock: Clock): CloudIdentity {
  const access = new KeptToken(clock, async () => {
    const asked = clock.now();
    const said = JSON.parse(await metadata(`${account}/token`)) as { access_token: string; expires_in: number };
    return { text: said.access_token, ends: asked + said.expires_in * 1000 };
  });
  const ids = new Map<string, KeptToken>();
  let email: Promise<string> | undefined;
  return {
    accessToken: () => access.get(),
    forgetAccessToken: (token) => access.forget(token),
    idToken: (audience) => {
      const kept = ids.get(audience) ?? new KeptToken(clock, () => fetchIdToken(metadata, audience));
      // The audience that was used last is forgotten last.
      ids.delete(audience);
      ids.set(audience, kept);
      const [oldest] = ids.keys();
      if (ids.size > mostAudiences && oldest !== undefined) ids.delete(oldest);
      return kept.get();
    },
    forgetIdToken: (audience, token) => ids.get(audience)?.forget(token),
    email: () => {
      email ??= metadata(`${account}/email`).catch((error: unknown) => {
        email = undefined;
        throw error;
      });
      return email;
    },
  };
}

async function fetchIdToken(metadata: Metadata, audience: string): Promise<Token> {
  const token = await metadata(`${account}/identity?audience=${encodeURIComponent(audience)}&format=full`);
  const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
  const { exp } = JSON.parse(payload) as { exp: number };
  return { text: token, ends: exp * 1000 };
}

/** A token that is fetched when it is first needed, and again before it ends. */
export class KeptToken {
  readonly #clock: Clock;
  readonly #fetch: () => Promise<Token>;
  #token: CachedToken | undefined;
  #fetching: Promise<CachedToken> | undefined;

  constructor(clock: Clock, fetch: () => Promise<Token>) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  async get(): Promise<string> {
    const left = (this.#token?.until ?? 0) - this.#clock.elapsed();
    if (this.#token !== undefined && left > earlyMs) return this.#token.text;
    const fetching = this.#renew();
    if (this.#token === undefined || left <= lastMs) return (await fetching).text;
    fetching.catch(() => {});
    return this.#token.text;
  }

  forget(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  #renew(): Promise<CachedToken> {
    // The token's end is an instant of the wall clock, which may be set back while the token is in use.
    const offset = this.#clock.elapsed() - this.#clock.now();
    this.#fetching ??= this.#fetch()
      .then(({ text, ends }) => (this.#token = { text, until: ends + offset }))
      .finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }
}
