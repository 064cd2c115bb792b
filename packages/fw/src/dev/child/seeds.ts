import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "../../platform/contract.ts";
import { servicesDirectory } from "../../workspace/branch-data.ts";
import { runSeeds } from "../../runtime/background/seed.ts";
import { definitionsOf, type Bundle, type Service } from "../../runtime/index.ts";
import { messageOf } from "../../lib/thrown.ts";
import type { SeedMode } from "../../workspace/seed-mode.ts";

/** A file in the data directory that records that the store was seeded. */
const seededFile = "seeded.json";

/** The outcome of the seeds, for the terminal and the log. */
interface SeedResult {
  readonly sentence: string;
  readonly hasFailed: boolean;
}

/** Runs the seeds of an application when it starts: once, on an empty store, or always if the user requests it. */
export class StartSeeds {
  readonly #directory: string;
  #mode: SeedMode;

  constructor(directory: string, mode: SeedMode) {
    this.#directory = directory;
    this.#mode = mode;
  }

  /** Runs the seeds if they are due. Returns undefined if none ran. */
  async run(bundle: Bundle, app: Service["app"], platform: Platform): Promise<SeedResult | undefined> {
    const { seeds = [] } = bundle;
    if (this.#mode === "never" || seeds.length === 0) return undefined;
    const isDue = this.#mode === "always" || (await this.#isNew(bundle, platform));
    this.#mode = "never";
    if (!isDue) return undefined;
    try {
      const names = await runSeeds(app, seeds);
      const record = { at: new Date().toISOString(), seeds: names };
      writeFileSync(join(this.#directory, seededFile), `${JSON.stringify(record)}\n`, { mode: 0o600 });
      return { sentence: `seeded the data: ${names.join(", ")}`, hasFailed: false };
    } catch (error) {
      return { sentence: `the data was not seeded: ${messageOf(error)}`, hasFailed: true };
    }
  }

  async #isNew(bundle: Bundle, platform: Platform): Promise<boolean> {
    if ([join(this.#directory, seededFile), servicesDirectory(this.#directory)].some((path) => existsSync(path)))
      return false;
    if (bundle.auth !== undefined && (await platform.accounts.list(1, "")).accounts.length > 0) return false;
    for (const { kind, framework } of definitionsOf(bundle).kinds) {
      if (framework) continue;
      const { documents } = await platform.entities.query({ kind, filters: [], orders: [], limit: 1 });
      if (documents.length > 0) return false;
    }
    return true;
  }
}
