import type { PlatformName } from "./platform.ts";

/** A service's configuration, read from its environment on every platform. */
export interface Configuration {
  readonly port: number;
  readonly csrfKey?: Uint8Array;
  /** The token required to scrape the service's metrics; absent if scraping is off. */
  readonly scrapeToken?: string;
}

/** Thrown if the environment of a service is invalid; the message says how to fix it. */
export class ConfigurationError extends Error {}

const defaultPort = 8080;
const keyBytes = 32;
const scrapeTokenCharacters = 16;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads `PORT`, `FW_CSRF_KEY`, `FW_METRICS` and `FW_METRICS_TOKEN`. Throws a ConfigurationError if one of them is
 * invalid.
 */
export function configurationOf(env: Environment): Configuration {
  const csrfKey = keyOf(env["FW_CSRF_KEY"]);
  const scrapeToken = scrapeTokenOf(env["FW_METRICS"], env["FW_METRICS_TOKEN"]);
  return {
    port: portOf(env["PORT"]),
    ...(csrfKey && { csrfKey }),
    ...(scrapeToken && { scrapeToken }),
  };
}

/** Throws a ConfigurationError if `FW_PLATFORM` names a platform other than the one the service was built for. */
export function requirePlatform(builtFor: PlatformName, { FW_PLATFORM: platform = "" }: Environment): void {
  if (platform !== "" && platform !== builtFor)
    throw new ConfigurationError(
      `this service was built for ${builtFor}, but FW_PLATFORM is ${JSON.stringify(platform)}: build it with fw build --platform ${platform}, or set FW_PLATFORM to ${builtFor}`,
    );
}

function portOf(value: string | undefined): number {
  if (value === undefined || value === "") return defaultPort;
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new ConfigurationError(`PORT must be a number from 0 to 65535, not ${JSON.stringify(value)}`);
}

function keyOf(value: string | undefined): Uint8Array | undefined {
  if (value === undefined || value === "") return undefined;
  const key = Buffer.from(value, "base64");
  if (key.byteLength >= keyBytes) return key;
  throw new ConfigurationError(
    `FW_CSRF_KEY must be at least ${keyBytes} bytes in base64, the same for every instance of the service`,
  );
}

function scrapeTokenOf(kind: string | undefined, token = ""): string | undefined {
  if (kind === undefined || kind === "") return undefined;
  if (kind !== "prometheus")
    throw new ConfigurationError(
      `FW_METRICS must be "prometheus", which serves metrics at /_fw/z/metrics, or unset, not ${JSON.stringify(kind)}`,
    );
  if (/^[\w.~+/=-]+$/.test(token) && token.length >= scrapeTokenCharacters) return token;
  throw new ConfigurationError(
    `FW_METRICS_TOKEN must be at least ${scrapeTokenCharacters} random letters, digits or -._~+/=: it is the bearer token with which Prometheus reads the metrics`,
  );
}
