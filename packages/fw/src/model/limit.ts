import type { NamedDeclaration } from "./declaration-ref.ts";
import type { Separated } from "./tenant.ts";

export interface Limit extends NamedDeclaration<"limit">, Separated {
  /** The rate as in the source, such as `10/h`. */
  readonly rate: string;
}
