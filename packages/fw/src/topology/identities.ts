import { CallSigner } from "../platform/call-signer.ts";
import { newCallKeys, type CallKeys } from "../platform/calls.ts";
import { platformIdentity } from "../platform/loopback/protocol.ts";

/** The identity of calls that this process makes on behalf of other machines. No service can have this name. */
export const networkIdentity = "fw:network";

/** The key pairs of this machine's services, its platform and its network, for the lifetime of this process. */
export class Identities {
  readonly #keys = new Map<string, CallKeys>();
  readonly platform: CallSigner = new CallSigner(platformIdentity, this.#keysOf(platformIdentity).privateKey);

  /** Signs calls that services of other machines make to services of this one. */
  readonly network: CallSigner = new CallSigner(networkIdentity, this.#keysOf(networkIdentity).privateKey);

  /** Returns a private key, which may be passed only to the service's own process. */
  privateKeyOf(service: string): string {
    return this.#keysOf(service).privateKey;
  }

  /** Returns the services' public keys by identity, and the key of the platform, which calls all services. */
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
