/** Where the application's other services are, and how this one shows them who it is. */
export interface ServiceDirectory {
  /** The origin of a service: `http://127.0.0.1:8081`, `https://orders.example.com`. Rejects where it may not be called. */
  addressOf(service: string): Promise<string> | string;
  /** A bearer token that says who calls and is good for calls of `service` only, for a short time. */
  tokenFor(service: string): Promise<string> | string;
}
