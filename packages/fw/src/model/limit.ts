import type { NamedDeclaration } from "./declaration-ref.ts";

/** A Limit declaration. */
export interface Limit extends NamedDeclaration<"limit"> {
  /** The rate as in the source, such as `10/h`. */
  readonly rate: string;
}
