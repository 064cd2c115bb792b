/** What a service takes from its environment. */
export interface Configuration {
  readonly port: number;
  /** Where the local platform keeps data; "" for nowhere. */
  readonly data: string;
  readonly csrfKey?: Uint8Array;
  /** True where a platform before the service lets nobody but services of the application to private routes. */
  readonly behindPlatform: boolean;
  /** What those bring who scrape its metrics; absent where nobody can. */
  readonly scrapeToken?: string;
  /** True where the service runs beside the others on one machine, and is told of them on standard input. */
  readonly peers: boolean;
}

/** A service that does not start because of its environment; the message is for who runs it. */
export class Misconfigured extends Error {}

const defaultPort = 8080;
const keyBytes = 32;
const scrapeTokenCharacters = 16;

/**
 * Reads `PORT`, `FW_DATA`, `FW_BEHIND`, `FW_CSRF_KEY`, `FW_METRICS` and `FW_METRICS_TOKEN`, and `FW_PEERS`, which `fw dev --services`
 * sets. Throws a Misconfigured.
 */
export function configurationOf(env: Readonly<Record<string, string | undefined>>): Configuration {
  const csrfKey = keyOf(env["FW_CSRF_KEY"]);
  const scrapeToken = scrapeTokenOf(env["FW_METRICS"], env["FW_METRICS_TOKEN"]);
  return {
    port: portOf(env["PORT"]),
    data: env["FW_DATA"] ?? "",
    behindPlatform: isBehindPlatform(env["FW_BEHIND"]),
    peers: env["FW_PEERS"] === "stdin",
    ...(csrfKey && { csrfKey }),
    ...(scrapeToken && { scrapeToken }),
  };
}

function portOf(value: string | undefined): number {
  if (value === undefined || value === "") return defaultPort;
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new Misconfigured(`PORT is a number from 0 to 65535, not ${JSON.stringify(value)}`);
}

function isBehindPlatform(value: string | undefined): boolean {
  if (value === undefined || value === "") return false;
  if (value === "platform") return true;
  throw new Misconfigured(
    `FW_BEHIND is "platform" where one stands before the service that lets only the application's own services to private routes, not ${JSON.stringify(value)}`,
  );
}

function keyOf(value: string | undefined): Uint8Array | undefined {
  if (value === undefined || value === "") return undefined;
  const key = Buffer.from(value, "base64");
  if (key.byteLength >= keyBytes) return key;
  throw new Misconfigured(
    `FW_CSRF_KEY is at least ${keyBytes} bytes in base64, the same for every instance of the service`,
  );
}

function scrapeTokenOf(kind: string | undefined, token = ""): string | undefined {
  if (kind === undefined || kind === "") return undefined;
  if (kind !== "prometheus")
    throw new Misconfigured(
      `FW_METRICS is "prometheus" where metrics are scraped at /_fw/z/metrics, not ${JSON.stringify(kind)}`,
    );
  if (/^[\w.~+/=-]+$/.test(token) && token.length >= scrapeTokenCharacters) return token;
  throw new Misconfigured(
    `FW_METRICS_TOKEN is what Prometheus brings as its bearer token, at least ${scrapeTokenCharacters} letters, digits or -._~+/= that nobody can guess: metrics are not for everybody`,
  );
}
