import type { Rule } from "../../rule.ts";

export const notTraced: Rule = {
  id: "not-traced",
  title: "What declares something, and the constants it is declared with, can be followed in the source",
  *app({ untraced }) {
    yield* untraced;
  },
};
