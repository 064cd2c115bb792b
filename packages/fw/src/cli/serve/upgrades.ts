import type { Logger } from "../../declare/context.ts";
import { Overtaken } from "../../lib/newest-only.ts";
import { listOf } from "../../lib/suggest.ts";
import { messageOf } from "../../lib/thrown.ts";
import { Refusal } from "../command.ts";
import { readRelease } from "./release.ts";
import type { Server, ServeSettings } from "./server.ts";

/** The part of a server that takes another build. */
type Upgradable = Pick<Server, "deploy">;

/** Upgrades a server at each request. A request that comes before the server serves is carried out then. */
export class Upgrades {
  readonly #build: string;
  readonly #log: Logger;
  #server: Upgradable | undefined;
  #isRequested = false;

  constructor({ build }: Pick<ServeSettings, "build">, log: Logger) {
    this.#build = build;
    this.#log = log;
  }

  /** The server takes builds from now on. */
  begin(server: Upgradable): void {
    this.#server = server;
    if (this.#isRequested) this.request();
  }

  request(): void {
    if (this.#server === undefined) this.#isRequested = true;
    else void this.#upgrade(this.#server);
  }

  /** A build that cannot be taken over changes nothing of what runs. */
  async #upgrade(server: Upgradable): Promise<void> {
    try {
      const release = readRelease(this.#build);
      const { replaced, failed } = await server.deploy(release);
      if (failed.length > 0) throw new Refusal(`${listOf(failed, "and")} did not start`);
      this.#log.info("upgraded", { build: release.directory, services: replaced });
    } catch (error) {
      if (error instanceof Overtaken)
        return this.#log.info(`an upgrade is dropped before it finished: ${error.message}`);
      this.#log.error(
        `the build in ${this.#build} is not taken over, and what ran before goes on: ${messageOf(error)}`,
      );
    }
  }
}
