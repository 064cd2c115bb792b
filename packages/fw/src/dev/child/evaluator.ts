import { exposeDeclarations } from "../../generate/expose.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import type { SnapshotDelta } from "../protocol.ts";
import { ownModules } from "./own-modules.ts";
import { createModuleResolver } from "./resolve.ts";
import { createRunner, type Runner } from "./runner.ts";
import { mapStackTraces } from "./stack.ts";

export interface LoadedBundle {
  readonly bundle: Bundle;
  readonly evaluated: number;
  /** Forgets what the bundle replaced. */
  readonly commit: () => void;
}

/** Turns a snapshot into the bundle that its generated entry exports. */
export class Evaluator {
  readonly #virtual: Map<string, string> = new Map();
  readonly #runner: Runner;
  #exposed: SnapshotDelta["exposed"] = {};

  constructor(root: string, debug: boolean) {
    this.#runner = createRunner({
      root,
      resolver: createModuleResolver(root, ownModules),
      virtual: this.#virtual,
      prepare: (path, source) => exposeDeclarations(source, this.#exposed[path] ?? []),
      debug,
    });
    mapStackTraces(this.#runner.transformed);
  }

  async load(delta: SnapshotDelta): Promise<LoadedBundle> {
    this.#exposed = delta.exposed;
    for (const [path, text] of Object.entries(delta.files)) {
      if (text === null) this.#virtual.delete(path);
      else this.#virtual.set(path, text);
    }
    const loaded = await this.#runner.load(delta.entry, [...delta.changed, ...Object.keys(delta.files)]);
    return { bundle: loaded.exports.default as Bundle, evaluated: loaded.evaluated, commit: loaded.commit };
  }
}
