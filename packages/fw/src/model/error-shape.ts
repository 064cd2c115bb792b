import type { DeclarationBase } from "./declaration-ref.ts";
import type { Schema } from "./schema.ts";

export interface ErrorShape extends DeclarationBase<"errors"> {
  /** The type of the body of an error response. */
  readonly body: Schema;
}
