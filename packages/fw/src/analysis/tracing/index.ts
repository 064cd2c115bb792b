import type { Finding } from "../rule.ts";
import type { DeclaredModule } from "../declared.ts";
import { ModuleCache } from "../source/module-cache.ts";
import type { OpenProject } from "../source/project.ts";
import { spanOf } from "../source/position.ts";
import { untracedNames } from "./framework-names.ts";
import { LeftOutFiles } from "./left-out-files.ts";
import { type Relied, type Write, writesIn, writtenConstants } from "./written-constants.ts";

/** Finds what decides what an application is and cannot be followed; again in modules that depend on what changed. */
export class TraceReader {
  readonly #project: OpenProject;
  readonly #names: ModuleCache<readonly Finding[]>;
  readonly #writes: ModuleCache<readonly Write[]>;
  readonly #leftOut: LeftOutFiles;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#names = new ModuleCache(project);
    this.#writes = new ModuleCache(project);
    this.#leftOut = new LeftOutFiles(project);
  }

  /** `queried` are the literals that queries rely on. */
  read(declared: readonly DeclaredModule[], queried: readonly Relied[]): readonly Finding[] {
    const parsed = declared.filter(({ module }) => module.syntaxErrors.length === 0);
    const modules = parsed.map(({ module }) => module);
    const relied = [...declared.flatMap(reliedIn), ...queried];
    const writes =
      relied.length === 0
        ? []
        : modules.flatMap((module) => this.#writes.of(module, () => writesIn(this.#project, module)));
    return [
      ...parsed.flatMap(({ module, names }) =>
        this.#names.of(names, () => untracedNames(this.#project, module, names)),
      ),
      ...writtenConstants(writes, relied),
      ...this.#leftOut.read(modules),
    ];
  }
}

function reliedIn({ declared }: DeclaredModule): readonly Relied[] {
  return declared.flatMap(({ call, literals = [] }) =>
    literals.map((literal) => ({ literal, at: spanOf(call.module, call.call.callee) })),
  );
}
