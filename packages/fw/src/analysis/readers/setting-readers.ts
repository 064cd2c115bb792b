import { listOf } from "../../lib/suggest.ts";
import { readSettings, type SettingReader, type SettingsOf } from "./config.ts";
import { isAnything, isFlag, isText, placeOf, readConstant } from "./source.ts";

/** A setting that is a constant `true` or `false`. */
export const flag: SettingReader<boolean> = constant(isFlag, "true or false");

/** A setting that is a constant string. */
export const text: SettingReader<string> = constant(isText, "a string");

/** A setting that is one of a few constant strings. */
export function oneOf<const Names extends readonly string[]>(...names: Names): SettingReader<Names[number]> {
  const is = (value: unknown): value is Names[number] => isText(value) && names.includes(value);
  return constant(is, listOf(names), names);
}

/** A setting of which only a rule knows what it must be: the constant that is there, and no fault when there is none. */
export const anyConstant: SettingReader<unknown> = (source, _name, node) => {
  return { reading: readConstant(source, node, isAnything), faults: [] };
};

/** A setting that is a constant, of which only a rule knows what it must be. */
export const someConstant: SettingReader<unknown> = constant(isAnything, "a constant");

/** A setting that is a literal of settings. */
export function group<T extends Readonly<Record<string, SettingReader<unknown>>>>(
  table: T,
): SettingReader<SettingsOf<T>> {
  return (source, name, node) => {
    const { settings, faults, complete } = readSettings(source, node, table, `${name}.`);
    const isRead = complete || Object.keys(settings).length > 0;
    return { reading: { at: placeOf(source, node), value: isRead ? settings : undefined }, faults };
  };
}

/** A setting that is a constant of which a test tells what it must be, `wants` in words; `known` are the texts it could be. */
export function constant<T>(
  is: (value: unknown) => value is T,
  wants: string,
  known: readonly string[] = [],
): SettingReader<T> {
  return (source, name, node) => {
    const reading = readConstant(source, node, is);
    if (reading.value !== undefined) return { reading, faults: [] };
    const { at, why, cause } = reading;
    if (why === undefined) return { reading, faults: [{ kind: "type", at, name, wants, found: reading.found, known }] };
    return { reading, faults: [{ kind: "computed", at, name, why, ...(cause ? { cause } : {}) }] };
  };
}
