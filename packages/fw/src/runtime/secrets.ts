import { fixSecret, unsetSecret } from "../declare/secret.ts";

/** A service that does not start because of its secrets; one sentence a line for each that is not set. */
export class UnsetSecrets extends Error {
  constructor(names: readonly string[]) {
    super(names.map(unsetSecret).join("\n"));
    this.name = "UnsetSecrets";
  }
}

/** Fixes the values of a service's secrets. Throws an UnsetSecrets that names all that are not set. */
export function fixSecrets(names: readonly string[]): void {
  const missing = names.filter((name) => fixSecret(name) === undefined);
  if (missing.length > 0) throw new UnsetSecrets(missing);
}
