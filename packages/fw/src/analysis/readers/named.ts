import type { Declared } from "../../model/declaration-ref.ts";
import type { Kind } from "./kind.ts";
import type { Located } from "./declaration-syntax.ts";
import { readText } from "./source.ts";

/** A declaration with a name, as in `Bucket(name)`. */
export interface ParsedNamed<Name extends string = string> extends Declared<Name> {
  readonly text: Located<string>;
}

/** Declarations that are a name and nothing more. */
export const named: Kind<ParsedNamed, { readonly name: string }> = {
  read: (source) => ({ text: readText(source, 0) }),
  model: ({ text }) => (text.value === undefined ? undefined : { name: text.value }),
};
