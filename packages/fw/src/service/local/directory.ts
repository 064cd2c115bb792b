import type { CallSigner } from "../../platform/call-signer.ts";
import type { ServiceDirectory } from "../../runtime/remote/directory.ts";
import type { PeerConfig } from "./peer-config.ts";

type Services = PeerConfig["services"];

/** The services that this one may call, as it was told of them last. */
export class PeerDirectory implements ServiceDirectory {
  readonly #signer: CallSigner;
  #services: Services;
  #waiting: (() => void)[] = [];

  constructor(signer: CallSigner, services: Services) {
    this.#signer = signer;
    this.#services = services;
  }

  replace(services: Services): void {
    this.#services = services;
    for (const look of this.#waiting.splice(0)) look();
  }

  /** Waits for a service that has not been started yet. */
  async addressOf(service: string): Promise<string> {
    for (;;) {
      const origin = this.#services[service];
      if (origin === undefined)
        throw new Error(
          `this service has no grant for calls of the service ${service}: grants are derived from the code that a service can reach, and no call was found there`,
        );
      if (origin !== "") return origin;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  tokenFor(service: string): string {
    return this.#signer.tokenFor(service);
  }
}
