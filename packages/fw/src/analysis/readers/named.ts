import type { DeclarationBase } from "../../model/declaration-ref.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { Located } from "./declaration-syntax.ts";
import { readText } from "./source.ts";

export interface ParsedNamed<Name extends string = string> extends DeclarationBase<Name> {
  readonly text: Located<string>;
}

export const nameOnly: DeclarationReader<ParsedNamed, { readonly name: string }> = {
  read: (source) => ({ text: readText(source, 0) }),
  model: ({ text }) => (text.value === undefined ? undefined : { name: text.value }),
};
