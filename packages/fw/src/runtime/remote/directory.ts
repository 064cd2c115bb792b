/** Where the application's other services are, and how this one shows them who it is. */
export interface ServiceDirectory {
  /** The origin of a service: `http://127.0.0.1:8081`, `https://orders.example.com`. Rejects where it may not be called. */
  addressOf(service: string): Promise<string> | string;
  /** What requests name as their host, where that is not the address's. */
  hostOf?(service: string): string;
  /** What this service is called, for those who know callers by what their tokens say and that name; local tokens hold it. */
  readonly name?: string;
  /** A bearer token that says who calls and is good for calls of `service` only, for a short time. */
  tokenFor(service: string): Promise<string> | string;
  /** The token was refused by whoever stands before the service: another one is made for the next call. */
  forgetToken?(service: string, token: string): void;
}
