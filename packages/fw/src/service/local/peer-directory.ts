import type { CallSigner } from "../../platform/call-signer.ts";
import type { ServiceDirectory } from "../../runtime/remote/directory.ts";
import type { PeerConfig } from "./peer-config.ts";

type Services = PeerConfig["services"];

/** The services that this one may call, from the newest configuration. */
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
    for (const retry of this.#waiting.splice(0)) retry();
  }

  /** Returns the address of a service; waits if it has not started yet. */
  async addressOf(service: string): Promise<string> {
    for (;;) {
      const origin = this.#services[service];
      if (origin === undefined)
        throw new Error(
          `this service has no grant to call the service ${service}: fw derives grants from the code of a service and found no such call`,
        );
      if (origin !== "") return origin;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  tokenFor(service: string): string {
    return this.#signer.tokenFor(service);
  }
}
