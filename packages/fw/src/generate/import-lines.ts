import type { DeclarationKey } from "../model/app.ts";
import type { Specifiers } from "./endpoint-module.ts";
import { exposedName } from "./expose.ts";
import { text } from "./text.ts";

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
