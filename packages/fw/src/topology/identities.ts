import { CallSigner } from "../platform/call-signer.ts";
import { newCallKeys, type CallKeys } from "../platform/calls.ts";
import { platformIdentity } from "../platform/loopback/protocol.ts";

/** Who is who among the processes of one machine: each has keys of its own, for as long as this one runs. */
export class Identities {
  readonly #keys = new Map<string, CallKeys>();
  /** Signs for the platform. */
  readonly platform: CallSigner = new CallSigner(platformIdentity, this.#keysOf(platformIdentity).privateKey);

  /** Only for the process of the service. */
  privateKeyOf(service: string): string {
    return this.#keysOf(service).privateKey;
  }

  /** By identity, the platform's among them: it calls everybody. */
  publicKeysOf(services: Iterable<string>): Readonly<Record<string, string>> {
    const identities = [platformIdentity, ...services];
    return Object.fromEntries(identities.map((identity) => [identity, this.#keysOf(identity).publicKey]));
  }

  #keysOf(identity: string): CallKeys {
    const keys = this.#keys.get(identity) ?? newCallKeys();
    this.#keys.set(identity, keys);
    return keys;
  }
}
