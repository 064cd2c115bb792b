import { fixSecret, unsetSecret } from "../declare/secret.ts";

/** Thrown if a service starts with unset secrets. The message has a line for each. */
export class UnsetSecrets extends Error {
  constructor(names: readonly string[]) {
    super(names.map(unsetSecret).join("\n"));
    this.name = "UnsetSecrets";
  }
}

/** Reads the values of a service's secrets once. Throws an UnsetSecrets that names all unset ones. */
export function fixSecrets(names: readonly string[]): void {
  const missing = names.filter((name) => fixSecret(name) === undefined);
  if (missing.length > 0) throw new UnsetSecrets(missing);
}
