import type { NamedDeclaration } from "./declaration-ref.ts";
import type { Schema } from "./schema.ts";
import type { Separated } from "./tenant.ts";

export interface Feed extends NamedDeclaration<"feed">, Separated {
  /** The type of its values. */
  readonly message: Schema;
}
