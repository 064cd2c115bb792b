import type { DeclarationRef } from "./declaration-ref.ts";

/** A Counter or Histogram declaration. */
export interface Metric {
  readonly kind: "counter" | "histogram";
  readonly declaration: DeclarationRef;
  readonly name: string;
}
