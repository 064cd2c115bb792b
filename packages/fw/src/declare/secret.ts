import { Fault } from "./errors.ts";

/** Configuration that is never committed: from `.env` on a laptop, from the secret store in the cloud. */
export interface SecretDeclaration {
  /** @internal */
  readonly kind: "secret";
  readonly name: string;
  /** The value, fixed when the service starts; a service whose secrets are not all set does not start. */
  value(): string;
}

const SECRETS: unique symbol = Symbol.for("fw.secrets");

/** Values by name, one table for all copies of the package in a process. */
const values: Map<string, string> = ((globalThis as { [SECRETS]?: Map<string, string> })[SECRETS] ??= new Map());

/** What a service says that does not start, and a test that has not set the secret. */
export function unsetSecret(name: string): string {
  return `secret ${name} is not set (add it to the env file locally, or the secret store in the cloud)`;
}

/** Fixes the value of a secret for this process; undefined forgets it. */
export function setSecret(name: string, value: string | undefined): void {
  if (value === undefined) values.delete(name);
  else values.set(name, value);
}

/** Declares a secret: `export const mailKey = Secret("MAIL_KEY")`. */
export function Secret(name: string): SecretDeclaration {
  return Object.freeze({
    kind: "secret",
    name,
    value() {
      const value = values.get(name);
      if (value === undefined) throw new Fault(unsetSecret(name));
      return value;
    },
  } as const);
}
