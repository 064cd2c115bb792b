import type { NamedDeclaration } from "./declaration-ref.ts";
import type { Schema, TypeTable } from "./schema.ts";

export interface Mail extends NamedDeclaration<"mail"> {
  /** The type of its data, for previews; absent if JSON cannot represent it. */
  readonly data?: MailData;
}

/** A type and the named types that it refers to, separate from `App.types`. */
export interface MailData {
  readonly schema: Schema;
  readonly types: TypeTable;
}
