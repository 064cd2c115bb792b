import type { Clock } from "../../contract.ts";
import { account, RenewedToken, type Token } from "./identity.ts";
import type { Metadata } from "./metadata.ts";

/** The maximum number of audiences with cached tokens. */
const maxAudiences = 100;

/** ID tokens that prove this process's identity to other services. */
export class CallerTokens {
  readonly #metadata: Metadata;
  readonly #clock: Clock;
  readonly #tokens: Map<string, RenewedToken> = new Map();

  constructor({ metadata, clock }: { readonly metadata: Metadata; readonly clock: Clock }) {
    this.#metadata = metadata;
    this.#clock = clock;
  }

  /** Returns a token for the service with the URL `audience`. */
  token(audience: string): Promise<string> {
    const cached = this.#tokens.get(audience) ?? new RenewedToken(this.#clock, () => this.#fetch(audience));
    // Evicts the least recently used audience.
    this.#tokens.delete(audience);
    this.#tokens.set(audience, cached);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > maxAudiences && oldest !== undefined) this.#tokens.delete(oldest);
    return cached.get();
  }

  /** Drops a rejected token, so that the next call fetches a new one. */
  forget(audience: string, token: string): void {
    this.#tokens.get(audience)?.forget(token);
  }

  async #fetch(audience: string): Promise<Token> {
    const token = await this.#metadata(`${account}/identity?audience=${encodeURIComponent(audience)}&format=full`);
    const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
    const { exp } = JSON.parse(payload) as { exp: number };
    return { text: token, ends: exp * 1000 };
  }
}
