import { cachedByObject } from "../../lib/cached-by-object.ts";
import type { Finding } from "../rule.ts";
import type { DeclaredModule } from "../declared.ts";
import { ModuleCache } from "../source/module-cache.ts";
import type { OpenProject } from "../source/project.ts";
import { spanOf } from "../source/position.ts";
import { constantWrites, reportConstantWrites, type ConstantRead, type ConstantWrite } from "./constant-writes.ts";
import { untracedNames } from "./framework-names.ts";
import { UnreadFiles } from "./unread-files.ts";

/**
 * Reports code that affects the shape of an application but cannot be followed. Rereads only modules whose dependencies
 * changed.
 */
export class TraceReader {
  readonly #project: OpenProject;
  readonly #names: ModuleCache<readonly Finding[]>;
  readonly #writes: ModuleCache<readonly ConstantWrite[]>;
  readonly #unreadFiles: UnreadFiles;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#names = new ModuleCache(project);
    this.#writes = new ModuleCache(project);
    this.#unreadFiles = new UnreadFiles(project);
  }

  /** `queryReads` are the literals on which queries rely. */
  read(declared: readonly DeclaredModule[], queryReads: readonly ConstantRead[]): readonly Finding[] {
    const parsed = declared.filter(({ module }) => module.syntaxErrors.length === 0);
    const modules = parsed.map(({ module }) => module);
    const reads = [...declared.flatMap(constantReads), ...queryReads];
    const writes =
      reads.length === 0
        ? []
        : modules.flatMap((module) => this.#writes.of(module, () => constantWrites(this.#project, module)));
    return [
      ...parsed.flatMap(({ module, names }) =>
        this.#names.of(names, () => untracedNames(this.#project, module, names)),
      ),
      ...reportConstantWrites(writes, reads),
      ...this.#unreadFiles.read(modules),
    ];
  }
}

const constantReads = cachedByObject(({ declared }: DeclaredModule): readonly ConstantRead[] =>
  declared.flatMap(({ call, literals = [] }) =>
    literals.map((literal) => ({ literal, at: spanOf(call.module, call.call.callee) })),
  ),
);
