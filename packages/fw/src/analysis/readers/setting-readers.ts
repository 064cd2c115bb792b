import { listOf } from "../../lib/suggest.ts";
import { readSettings, type SettingReader, type SettingsOf } from "./config.ts";
import { isAnything, isFlag, isText, spanIn, readConstant } from "./source.ts";

export const flag: SettingReader<boolean> = constant(isFlag, "true or false");

export const text: SettingReader<string> = constant(isText, "a string");

export function oneOf<const Names extends readonly string[]>(...names: Names): SettingReader<Names[number]> {
  const is = (value: unknown): value is Names[number] => isText(value) && names.includes(value);
  return constant(is, listOf(names), names);
}

/** Reads any expression, and accepts one that is not constant: a rule checks the value. */
export const anyConstant: SettingReader<unknown> = (source, _name, node) => {
  return { reading: readConstant(source, node, isAnything), faults: [] };
};

/** Reads any constant: a rule checks its value. */
export const someConstant: SettingReader<unknown> = constant(isAnything, "a constant");

export function group<T extends Readonly<Record<string, SettingReader<unknown>>>>(
  table: T,
): SettingReader<SettingsOf<T>> {
  return (source, name, node) => {
    const { settings, faults, complete } = readSettings(source, node, table, `${name}.`);
    const isRead = complete || Object.keys(settings).length > 0;
    return { reading: { at: spanIn(source, node), value: isRead ? settings : undefined }, faults };
  };
}

/** Reads a constant that passes a test. `expected` describes valid values; `options` lists them for `oneOf`. */
export function constant<T>(
  is: (value: unknown) => value is T,
  expected: string,
  options: readonly string[] = [],
): SettingReader<T> {
  return (source, name, node) => {
    const reading = readConstant(source, node, is);
    if (reading.value !== undefined) return { reading, faults: [] };
    const { at, why, cause } = reading;
    if (why === undefined)
      return { reading, faults: [{ kind: "type", at, name, expected, actual: reading.actual, options }] };
    return { reading, faults: [{ kind: "computed", at, name, why, ...(cause ? { cause } : {}) }] };
  };
}
