import { longestMaxAge, shortestMaxAge } from "../../../lib/limits.ts";
import type { Rule } from "../../rule.ts";
import { constantMistake, durationMistake } from "../phrases.ts";
import { isEndpoint } from "../select.ts";

export const maxAge: Rule = {
  id: "max-age",
  title: "`maxAge` is a constant duration of whole seconds, from 1 second to one year",
  *declaration(read) {
    if (!isEndpoint(read)) return;
    yield* constantMistake("maxAge", read.config.settings.maxAge, hint, (value) =>
      durationMistake(typeof value === "string" ? "the maxAge" : "maxAge", value, range),
    );
  },
};

const hint = 'write a literal such as "10m", "24h" or "365d"';
const range = {
  least: { ms: shortestMaxAge * 1000, words: "1 second" },
  most: { ms: longestMaxAge * 1000, words: "one year" },
  whole: true,
};
