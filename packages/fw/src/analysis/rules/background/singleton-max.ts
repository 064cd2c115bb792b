import type { Rule } from "../../rule.ts";

export const singletonMax: Rule = {
  id: "singleton-max",
  title: "A `Singleton` does not set `maxInstances`",
  *declaration(read) {
    if (read.kind !== "singleton") return;
    const setting = read.config.settings.traffic?.value?.maxInstances;
    if (!setting) return;
    yield {
      at: setting.at,
      message: `the singleton "${read.declaration.variable}" sets maxInstances`,
      hint: "remove it: a singleton always has one running instance",
    };
  },
};
