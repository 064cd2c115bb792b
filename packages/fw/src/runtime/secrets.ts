import { fixSecret, unsetSecret } from "../declare/secret.ts";

/** The start of a service with unset secrets; the message has one line for each. */
export class UnsetSecrets extends Error {
  constructor(names: readonly string[]) {
    super(names.map(unsetSecret).join("\n"));
    this.name = "UnsetSecrets";
  }
}

/** Fixes the values of a service's secrets. Throws an UnsetSecrets with all that are not set. */
export function fixSecrets(names: readonly string[]): void {
  const missing = names.filter((name) => fixSecret(name) === undefined);
  if (missing.length > 0) throw new UnsetSecrets(missing);
}
