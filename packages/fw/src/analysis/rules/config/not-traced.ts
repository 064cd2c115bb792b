import type { Rule } from "../../rule.ts";

export const notTraced: Rule = {
  id: "not-traced",
  title: "The source shows what each declaration and its constants are",
  *app({ untraced }) {
    yield* untraced;
  },
};
