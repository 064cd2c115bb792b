/** The published key with which a machine signs the calls of its services to services of other machines. */
export interface MachineKey {
  /** Random; each key of a machine has another one. */
  readonly id: string;
  /** SPKI in base64. */
  readonly publicKey: string;
  /** The services that each of its callers may call. */
  readonly calls: Calls;
}

/** Names of services, by the name of the service that may call them. */
export type Calls = Readonly<Record<string, readonly string[]>>;

/** The keys of all machines that serve an application together. Services cannot read or change them. */
export interface MachineKeys {
  /** Adds a key, or renews it: a key that is not renewed for `machineKeyMs` is not listed any more. */
  publish(key: MachineKey): Promise<void>;
  withdraw(id: string): Promise<void>;
  list(): Promise<ListedKeys>;
}

export interface ListedKeys {
  readonly keys: readonly MachineKey[];
  /** The time in milliseconds since 1970, by the clock that all machines share. */
  readonly now: number;
}

/** Milliseconds for which a published key is listed: longer than tokens are valid, which its machine has signed. */
export const machineKeyMs = 90_000;
