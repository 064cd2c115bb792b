import { declared } from "./declared.ts";
import { Fault } from "./errors.ts";

/** Configuration that is never committed: from `.env` on a laptop, from the secret store in the cloud. */
export interface SecretDeclaration {
  /** Tells it from other declarations. */
  readonly kind: "secret";
  /** The name of the variable that holds it: `"MAIL_KEY"`. */
  readonly name: string;
  /** The value, fixed when the service starts; a service whose secrets are not all set does not start. */
  value(): string;
}

const SECRETS: unique symbol = Symbol.for("fw.secrets");

interface SecretTable {
  readonly values: Map<string, string>;
  /** Where a value comes from that nobody has asked for yet. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** One table for all copies of the package in a process. */
const table: SecretTable = ((globalThis as { [SECRETS]?: SecretTable })[SECRETS] ??= {
  values: new Map(),
  environment: process.env,
});

/** What a service says that does not start, and a test that has not set the secret. */
export function unsetSecret(name: string): string {
  return `secret ${name} is not set (add it to the env file locally, or the secret store in the cloud)`;
}

/** The secret's value, from now on always the same, or undefined; a variable that is empty is not set. */
export function fixSecret(name: string): string | undefined {
  const known = table.values.get(name);
  if (known !== undefined) return known;
  const value = table.environment[name];
  if (value === undefined || value === "") return undefined;
  table.values.set(name, value);
  return value;
}

/** Gives a secret its value for this process; undefined forgets it. */
export function setSecret(name: string, value: string | undefined): void {
  if (value === undefined) table.values.delete(name);
  else table.values.set(name, value);
}

/** From now on the environment gives no secret its value: only `setSecret` does. */
export function ignoreEnvironment(): void {
  table.environment = {};
}

/** Declares a secret: `export const mailKey = Secret("MAIL_KEY")`. */
export function Secret(name: string): SecretDeclaration {
  return declared({
    kind: "secret",
    name,
    value() {
      const value = fixSecret(name);
      if (value === undefined) throw new Fault(unsetSecret(name));
      return value;
    },
  } as const);
}
