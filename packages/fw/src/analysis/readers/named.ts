import type { DeclarationRef } from "../../model/app.ts";
import type { Kind } from "./kind.ts";
import type { Located } from "./declaration-syntax.ts";
import { readText } from "./source.ts";

/** A declaration that is a name and nothing more, as in `Bucket(name)`. */
export interface ParsedNamed<Name extends string> {
  readonly kind: Name;
  readonly declaration: DeclarationRef;
  readonly text: Located<string>;
}

interface Named<Name extends string> {
  readonly kind: Name;
  readonly declaration: DeclarationRef;
  readonly name: string;
}

/** The kind of declarations that are a name and nothing more. */
export function named<const Name extends string>(kind: Name): Kind<ParsedNamed<Name>, Named<Name>> {
  return {
    read: (source, call, declaration) => ({ kind, declaration, text: readText(source, call, 0) }),
    model: ({ declaration, text }) => (text.value === undefined ? undefined : { kind, declaration, name: text.value }),
  };
}
