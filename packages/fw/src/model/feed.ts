import type { NamedDeclaration } from "./declaration-ref.ts";
import type { Schema } from "./schema.ts";

/** A Feed declaration. */
export interface Feed extends NamedDeclaration<"feed"> {
  /** The type of its values. */
  readonly message: Schema;
}
