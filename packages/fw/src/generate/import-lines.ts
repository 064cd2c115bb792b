import { grouped } from "../lib/grouped.ts";
import type { DeclarationKey } from "../model/app.ts";
import { declarationKey } from "../model/declarations.ts";
import { exposedName } from "./expose.ts";
import { text } from "./text.ts";

export interface Specifiers {
  /** Returns the specifier for an application module, by its path relative to the application's root. */
  readonly module: (path: string) => string;
  /** True if other services' code calls endpoints in the same process. */
  readonly calls?: boolean;
}

/** Import statements with local names that cannot clash. */
export class ImportLines {
  readonly lines: string[] = [];
  readonly #specifiers: Specifiers;

  constructor(specifiers: Specifiers) {
    this.#specifiers = specifiers;
  }

  declaration(ref: DeclarationKey): string {
    return this.importName(this.#specifiers.module(ref.module), exposedName(ref.variable));
  }

  /** Imports declarations with one statement for each module. Returns their local names, in order. */
  declarations(refs: readonly DeclarationKey[]): readonly string[] {
    const locals = new Map<string, string>();
    for (const [module, own] of grouped(refs, (ref) => ref.module)) {
      const names = own.map((ref, i) => {
        const local = `i${this.lines.length}_${i}`;
        locals.set(declarationKey(ref), local);
        return `${exposedName(ref.variable)} as ${local}`;
      });
      this.lines.push(`import { ${names.join(", ")} } from ${text(this.#specifiers.module(module))};`);
    }
    return refs.flatMap((ref) => locals.get(declarationKey(ref)) ?? []);
  }

  importName(specifier: string, name: string): string {
    const local = `i${this.lines.length}`;
    this.lines.push(`import { ${name} as ${local} } from ${text(specifier)};`);
    return local;
  }
}

export function importOf(items: readonly { readonly declaration: DeclarationKey }[], { module }: Specifiers): string {
  const names = items.map(({ declaration }) => exposedName(declaration.variable));
  return `import { ${names.join(", ")} } from ${text(module(items[0]?.declaration.module ?? ""))};`;
}
