/** The addresses of the application's other services, and this service's credentials for them. */
export interface ServiceDirectory {
  /**
   * Returns the origin of a service: `http://127.0.0.1:8081`, `https://orders.example.com`. Rejects if it may not be
   * called.
   */
  addressOf(service: string): Promise<string> | string;
  /** Returns the Host header if it differs from the address. */
  hostOf?(service: string): string;
  /** The name of this service, for verifiers that need it in addition to the token. Local tokens contain it. */
  readonly name?: string;
  /** Returns a short-lived bearer token that identifies the caller and is valid for `service` only. */
  tokenFor(service: string): Promise<string> | string;
  /** Drops a token that was refused in front of the service, so the next call uses a new one. */
  forgetToken?(service: string, token: string): void;
}
