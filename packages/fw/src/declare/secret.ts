import { recordDeclaration } from "./declaration-records.ts";
import { Fault } from "./errors.ts";

/**
 * A configuration value that is never committed. It is read from an environment variable, which `.env` sets in
 * development and the secret store in the cloud.
 */
export interface SecretDeclaration {
  /** The kind of declaration. */
  readonly kind: "secret";
  /** The name of the environment variable: `"MAIL_KEY"`. */
  readonly name: string;
  /** The value, fixed when the service starts. A service does not start unless all its secrets are set. */
  value(): string;
}

const SECRETS: unique symbol = Symbol.for("fw.secrets");

interface SecretTable {
  readonly values: Map<string, string>;
  /** The environment variables; a secret is read from them at its first use. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** One table shared by all copies of the package in a process. */
const table: SecretTable = ((globalThis as { [SECRETS]?: SecretTable })[SECRETS] ??= {
  values: new Map(),
  environment: process.env,
});

/** Returns the error message for a missing secret. */
export function unsetSecret(name: string): string {
  return `secret ${name} is not set (add it to the env file locally, or the secret store in the cloud)`;
}

/** Reads a secret and fixes its value. Returns undefined if it is unset or empty. */
export function fixSecret(name: string): string | undefined {
  const existing = table.values.get(name);
  if (existing !== undefined) return existing;
  const value = table.environment[name];
  if (value === undefined || value === "") return undefined;
  table.values.set(name, value);
  return value;
}

/** Sets a secret's value for this process. With undefined, the secret is read from the environment again. */
export function setSecret(name: string, value: string | undefined): void {
  if (value === undefined) table.values.delete(name);
  else table.values.set(name, value);
}

/** Stops reading secrets from the environment, so that only `setSecret` sets them. */
export function ignoreEnvironment(): void {
  table.environment = {};
}

/** Declares a secret: `export const mailKey = Secret("MAIL_KEY")`. */
export function Secret(name: string): SecretDeclaration {
  return recordDeclaration({
    kind: "secret",
    name,
    value() {
      const value = fixSecret(name);
      if (value === undefined) throw new Fault(unsetSecret(name));
      return value;
    },
  } as const);
}
