import type { PlatformName } from "./platform.ts";

/** What a service takes from its environment, wherever it runs. */
export interface Configuration {
  readonly port: number;
  readonly csrfKey?: Uint8Array;
  /** What those bring who scrape its metrics; absent where nobody can. */
  readonly scrapeToken?: string;
}

/** A service that does not start because of its environment; the message is for who runs it. */
export class Misconfigured extends Error {}

const defaultPort = 8080;
const keyBytes = 32;
const scrapeTokenCharacters = 16;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads `PORT`, `FW_CSRF_KEY`, `FW_METRICS` and `FW_METRICS_TOKEN`. Throws a Misconfigured. */
export function configurationOf(env: Environment): Configuration {
  const csrfKey = keyOf(env["FW_CSRF_KEY"]);
  const scrapeToken = scrapeTokenOf(env["FW_METRICS"], env["FW_METRICS_TOKEN"]);
  return {
    port: portOf(env["PORT"]),
    ...(csrfKey && { csrfKey }),
    ...(scrapeToken && { scrapeToken }),
  };
}

/** Throws a Misconfigured where `FW_PLATFORM` names another platform than the one that the service was built for. */
export function requirePlatform(builtFor: PlatformName, { FW_PLATFORM: named = "" }: Environment): void {
  if (named !== "" && named !== builtFor)
    throw new Misconfigured(
      `this service was built for ${builtFor}, and FW_PLATFORM is ${JSON.stringify(named)}: build it with fw build --platform ${named}, or start it where FW_PLATFORM is ${builtFor}`,
    );
}

function portOf(value: string | undefined): number {
  if (value === undefined || value === "") return defaultPort;
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new Misconfigured(`PORT is a number from 0 to 65535, not ${JSON.stringify(value)}`);
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
