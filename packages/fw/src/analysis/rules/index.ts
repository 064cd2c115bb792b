import type { Rule } from "../rule.ts";

/** Every rule, in the order of the specification's table. */
export const rules: readonly Rule[] = [];
