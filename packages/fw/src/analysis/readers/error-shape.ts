import type { DeclarationBase } from "../../model/declaration-ref.ts";
import type { ErrorShape } from "../../model/error-shape.ts";
import type { Schema } from "../../model/schema.ts";
import type { TypeProblem } from "../schema/schema.ts";
import type { DeclarationReader } from "./declaration-reader.ts";

export interface ParsedErrorShape extends DeclarationBase<"errors"> {
  /** Set once the types are read. */
  readonly types?: { readonly body: Schema; readonly refusals: readonly TypeProblem[] };
}

export const errorShape: DeclarationReader<ParsedErrorShape, ErrorShape> = {
  read: () => ({}),
  model: ({ types }) => types && { body: types.body },
};
