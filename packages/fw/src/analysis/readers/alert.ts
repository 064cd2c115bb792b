import type { Alert } from "../../model/alert.ts";
import { conditionModel, readCondition, type ParsedCondition } from "./condition.ts";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import type { ConfigRead, Located } from "./declaration-syntax.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";
import { readReferences, type NamedReference } from "./reference.ts";
import { someConstant } from "./setting-readers.ts";
import { millisecondsIn, spanIn } from "./source.ts";

type Settings = {
  readonly if: SettingReader<ParsedCondition>;
  /** Any constants, because rules check the values. */
  readonly every: SettingReader<unknown>;
  readonly for: SettingReader<unknown>;
  readonly notify: SettingReader<readonly Located<NamedReference>[]>;
};

const settings: Settings = {
  if: (source, _name, node) => {
    const value = readCondition(source, node);
    const faults = value.kind === "rate" || value.kind === "absent" ? (value.second?.faults ?? []) : [];
    return { reading: { at: spanIn(source, node), value }, faults };
  },
  every: someConstant,
  for: someConstant,
  notify: (source, _name, node) => ({
    reading: { at: spanIn(source, node), value: readReferences(source, node, "Channel") },
    faults: [],
  }),
};

export interface ParsedAlert extends ParsedNamed<"alert"> {
  readonly config: ConfigRead<SettingsOf<Settings>>;
}

export const alert: DeclarationReader<ParsedAlert, Alert> = {
  read: (source) => ({ ...nameOnly.read(source), config: readConfig(source, 1, settings) }),
  model(parsed, service) {
    const { if: condition, every, for: pending, notify } = parsed.config.settings;
    const model = nameOnly.model(parsed, service);
    const conditionInModel = condition?.value && conditionModel(condition.value);
    const window = millisecondsIn(every);
    if (model === undefined || conditionInModel === undefined || window === undefined) return undefined;
    const names = (notify?.value ?? []).flatMap(({ value }) => value?.name ?? []);
    return { ...model, condition: conditionInModel, every: window, for: millisecondsIn(pending) ?? 0, notify: names };
  },
};
