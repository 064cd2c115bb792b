import type { ESTree } from "rolldown/utils";
import type { Span } from "../../model/diagnostic.ts";
import { readObject, type Field } from "./object.ts";
import type { ConfigFault, ConfigRead, Located } from "./declaration-syntax.ts";
import { argumentPlace, isUndefined, spanIn, type CallSource, type Source } from "./source.ts";

/** Reads the value of one setting. `name` is its path, such as `build.out`. */
export type SettingReader<T> = (source: Source, name: string, node: ESTree.Expression) => SettingRead<T>;

interface SettingRead<T> {
  /** `undefined` if the setting is missing. */
  readonly reading: Located<T> | undefined;
  readonly faults: readonly ConfigFault[];
}

export type SettingsOf<Table> = {
  readonly [Name in keyof Table]?: Table[Name] extends SettingReader<infer T> ? Located<T> : never;
};

export type SettingReaders = Readonly<Record<string, SettingReader<unknown>>>;

/** Reads the config argument at `index`, which must be the last one. */
export function readConfig<T extends SettingReaders>(
  source: CallSource,
  index: number,
  table: T,
): ConfigRead<SettingsOf<T>> {
  const { [index]: argument, [index + 1]: extra } = source.call.arguments;
  const at = argumentPlace(source, index);
  const config = argument && !isUndefined(argument) ? readSettings(source, argument, table) : { at, ...unset };
  return extra ? { ...config, extra: spanIn(source, extra) } : config;
}

const unset = { settings: {}, complete: true, faults: [] };

/** Reads an object literal with a table of readers; `path` precedes setting names in messages. */
export function readSettings<T extends SettingReaders>(
  source: Source,
  node: ESTree.Node,
  table: T,
  path = "",
): ConfigRead<SettingsOf<T>> {
  const { fields, faults, complete } = readObject(source, node);
  const settings: Record<string, Located<unknown>> = {};
  const allFaults: ConfigFault[] = [...faults];
  for (const field of fields.values()) {
    const { reading, faults } = readField(source, field, table, path);
    if (reading) settings[field.name] = reading;
    allFaults.push(...faults);
  }
  return { at: spanIn(source, node), settings: settings as SettingsOf<T>, complete, faults: allFaults };
}

function readField(source: Source, field: Field, table: SettingReaders, path: string): SettingRead<unknown> {
  const name = `${path}${field.name}`;
  if (!Object.hasOwn(table, field.name)) return unknownSetting(name, field.at, table);
  if (field.value === undefined) {
    return { reading: { at: field.at, value: undefined }, faults: [{ kind: "accessor", at: field.at, name }] };
  }
  const read = table[field.name] as SettingReader<unknown>;
  return isUndefined(field.value) ? { reading: undefined, faults: [] } : read(source, name, field.value);
}

function unknownSetting(name: string, at: Span, table: SettingReaders): SettingRead<unknown> {
  return { reading: undefined, faults: [{ kind: "unknown", at, name, options: Object.keys(table) }] };
}
