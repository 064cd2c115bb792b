import { setTimeout as wait } from "node:timers/promises";
import type { Definitions, Platform, Redefinition } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { copyIfNew } from "../../platform/local/backup/copy.ts";
import { observeSent, type SentObserver } from "../../platform/local/observe-sent.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import { whenOpen } from "../../platform/when-open.ts";
import type { DataLocation } from "../../workspace/branch-data.ts";
import { definitionsOf, type Bundle } from "../../runtime/index.ts";

/** Milliseconds that a replaced process may keep the data while it finishes its requests. */
const patience = 10_000;

/** A bundle's data, and the change of its definitions to commit or abandon. */
interface PreparedData extends Redefinition {
  /** Absent if the bundle keeps no data. */
  readonly platform?: Platform;
}

const withoutChange: Redefinition = { commit: async () => {}, abandon: () => {} };

/** The application's data on disk, opened once and shared by all versions of the code. */
export class AppData {
  readonly #location: DataLocation;
  readonly #replaces: boolean;
  readonly #observer: SentObserver;
  #platform: Promise<LocalPlatform> | undefined;

  /**
   * `replaces` is true if another process of this dev server may still hold the data; `observer` gets all sent
   * messages.
   */
  constructor(location: DataLocation, replaces: boolean, observer: SentObserver) {
    this.#location = location;
    this.#replaces = replaces;
    this.#observer = observer;
  }

  /** Prepares the data for a bundle. `commit` makes the changes visible to the running code. */
  async prepare(bundle: Bundle, signal: AbortSignal): Promise<PreparedData> {
    if (!bundle.keepsData && this.#platform === undefined) return withoutChange;
    const definitions = definitionsOf(bundle);
    if (this.#platform === undefined) return { ...withoutChange, platform: await this.#open(definitions) };
    const opened = await this.#platform;
    const change = await opened.prepare(definitions, signal);
    return { ...change, platform: opened.builtWith(definitions) };
  }

  /** Resolves with the open platform; undefined if the application keeps no data. */
  platform(): Promise<LocalPlatform | undefined> {
    return Promise.resolve(this.#platform);
  }

  async close(): Promise<void> {
    await (await this.#platform?.catch(() => undefined))?.close();
  }

  async #open(definitions: Definitions): Promise<Platform> {
    const opening = this.#replaces ? openWhenFree(this.#location, definitions) : open(this.#location, definitions);
    this.#platform = opening.then((opened) => observeSent(opened, this.#observer));
    const own = this.#platform.then((opened) => opened.builtWith(definitions));
    if (this.#replaces) return whenOpen(own);
    try {
      return await own;
    } catch (error) {
      this.#platform = undefined;
      throw error;
    }
  }
}

async function open({ directory, copyOf }: DataLocation, definitions: Definitions): Promise<LocalPlatform> {
  if (copyOf !== undefined) await copyIfNew(copyOf, directory);
  return openLocal(directory, definitions, { warn: (sentence) => process.stderr.write(`${sentence}\n`) });
}

async function openWhenFree(location: DataLocation, definitions: Definitions): Promise<LocalPlatform> {
  for (const started = performance.now(); ; await wait(10)) {
    try {
      return await open(location, definitions);
    } catch (error) {
      if (!isPlatformError(error, "locked") || performance.now() - started > patience) throw error;
    }
  }
}
