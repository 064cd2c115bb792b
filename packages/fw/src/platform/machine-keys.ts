/** The public key for verifying calls that a machine's services make to services on other machines. */
export interface MachineKey {
  /** Random and different for each key, even of the same machine. */
  readonly id: string;
  /** SPKI in base64. */
  readonly publicKey: string;
  /** The services that each caller on the machine may call. */
  readonly calls: Calls;
}

/** The names of the services that each service may call, by the caller's name. */
export type Calls = Readonly<Record<string, readonly string[]>>;

/** The keys of all machines that serve one application. Services cannot read or change them. */
export interface MachineKeys {
  /** Adds or renews a key. A key that is not renewed for `machineKeyMs` is no longer listed. */
  publish(key: MachineKey): Promise<void>;
  withdraw(id: string): Promise<void>;
  list(): Promise<ListedKeys>;
}

export interface ListedKeys {
  readonly keys: readonly MachineKey[];
  /** The current time in milliseconds since 1970, on the clock that all machines share. */
  readonly now: number;
}

/** Milliseconds for which a published key is listed. Exceeds the lifetime of the machine's tokens. */
export const machineKeyMs = 90_000;
