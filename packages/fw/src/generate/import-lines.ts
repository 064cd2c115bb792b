import type { DeclarationKey } from "../model/app.ts";
import { exposedName } from "./expose.ts";
import { text } from "./text.ts";

/** Where generated modules import from. */
export interface Specifiers {
  /** The specifier of an application's module, given its path relative to the application's root. */
  readonly module: (path: string) => string;
  /** True where endpoints are called in the process that has them by code of other services. */
  readonly calls?: boolean;
}

/** Import statements under names that cannot clash. */
export class ImportLines {
  readonly lines: string[] = [];
  readonly #specifiers: Specifiers;

  constructor(specifiers: Specifiers) {
    this.#specifiers = specifiers;
  }

  declaration(ref: DeclarationKey): string {
    return this.named(this.#specifiers.module(ref.module), exposedName(ref.variable));
  }

  named(specifier: string, name: string): string {
    const local = `i${this.lines.length}`;
    this.lines.push(`import { ${name} as ${local} } from ${text(specifier)};`);
    return local;
  }
}

/** The import of declarations of one module, by the names that it exposes them under. */
export function importOf(
  declared: readonly { readonly declaration: DeclarationKey }[],
  { module }: Specifiers,
): string {
  const names = declared.map(({ declaration }) => exposedName(declaration.variable));
  return `import { ${names.join(", ")} } from ${text(module(declared[0]?.declaration.module ?? ""))};`;
}
