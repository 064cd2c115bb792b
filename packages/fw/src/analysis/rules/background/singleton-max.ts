import type { Rule } from "../../rule.ts";

export const singletonMax: Rule = {
  id: "singleton-max",
  title: "A Singleton does not say how many instances it has",
  *declaration(read) {
    if (read.kind !== "singleton") return;
    const pinned = read.config.settings.traffic?.value?.maxInstances;
    if (!pinned) return;
    yield {
      at: pinned.at,
      message: `the singleton "${read.declaration.variable}" pins maxInstances`,
      hint: "leave it out: one body runs, however many instances there are",
    };
  },
};
