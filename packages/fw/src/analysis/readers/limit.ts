import { parseRate } from "../../lib/rate.ts";
import type { Limit } from "../../model/limit.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { Located } from "./declaration-syntax.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";
import { readText } from "./source.ts";
import { readTenancy, separatedModel, type ParsedSeparation } from "./tenant.ts";

export interface ParsedLimit extends ParsedNamed<"limit">, ParsedSeparation {
  readonly rate: Located<string>;
}

export const limit: DeclarationReader<ParsedLimit, Limit> = {
  read: (source) => ({ ...nameOnly.read(source), rate: readText(source, 1), ...readTenancy(source, 2) }),
  model: ({ text, rate, config }) =>
    text.value === undefined || rate.value === undefined || "problem" in parseRate(rate.value)
      ? undefined
      : { name: text.value, rate: rate.value, ...separatedModel(config.settings.tenant) },
};
