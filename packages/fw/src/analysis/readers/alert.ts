import type { ESTree } from "rolldown/utils";
import type { Alert } from "../../model/alert.ts";
import { unwrap } from "../source/expression.ts";
import { conditionModel, readCondition, type ParsedCondition } from "./condition.ts";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import type { ConfigRead, Located } from "./declaration-syntax.ts";
import type { Kind } from "./kind.ts";
import { named, type ParsedNamed } from "./named.ts";
import { readNamed, type NamedReference } from "./reference.ts";
import { someConstant } from "./setting-readers.ts";
import { millisecondsIn, placeOf, type Source } from "./source.ts";

type Settings = {
  readonly if: SettingReader<ParsedCondition>;
  /** Whatever constants stand there: a rule says what they must be. */
  readonly every: SettingReader<unknown>;
  readonly for: SettingReader<unknown>;
  readonly notify: SettingReader<readonly Located<NamedReference>[]>;
};

const settings: Settings = {
  if: (source, _name, node) => {
    const value = readCondition(source, node);
    const faults = value.kind === "rate" || value.kind === "absent" ? (value.second?.faults ?? []) : [];
    return { reading: { at: placeOf(source, node), value }, faults };
  },
  every: someConstant,
  for: someConstant,
  notify: (source, _name, node) => ({
    reading: { at: placeOf(source, node), value: readList(source, node) },
    faults: [],
  }),
};

export interface ParsedAlert extends ParsedNamed<"alert"> {
  readonly config: ConfigRead<SettingsOf<Settings>>;
}

/** `Alert(name, { if, every, for, notify })`. */
export const alert: Kind<ParsedAlert, Alert> = {
  read: (source) => ({ ...named.read(source), config: readConfig(source, 1, settings) }),
  model(parsed, service) {
    const { if: condition, every, for: held, notify } = parsed.config.settings;
    const whole = named.model(parsed, service);
    const declared = condition?.value && conditionModel(condition.value);
    const window = millisecondsIn(every);
    if (whole === undefined || declared === undefined || window === undefined) return undefined;
    const names = (notify?.value ?? []).flatMap(({ value }) => value?.name ?? []);
    return { ...whole, condition: declared, every: window, for: millisecondsIn(held) ?? 0, notify: names };
  },
};

/** Undefined where it is no array. */
function readList(source: Source, node: ESTree.Node): readonly Located<NamedReference>[] | undefined {
  const list = unwrap(node);
  if (list.type !== "ArrayExpression") return undefined;
  return list.elements.flatMap((element) => (element === null ? [] : [readNamed(source, element, "Channel")]));
}
