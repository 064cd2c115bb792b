import type { Entity, Value } from "./values.ts";

/** Returns a list with the value of an entity's property; empty if it is not an indexed number. */
export function numbersAt({ properties = {} }: Entity, name: string): (number | bigint)[] {
  const value = properties[name];
  if (value === undefined || value.excludeFromIndexes) return [];
  if (value.integerValue !== undefined) return [BigInt(value.integerValue)];
  return value.doubleValue === undefined ? [] : [Number(value.doubleValue)];
}

/** Adds numbers. The sum of integers is an integer while it fits 64 bits; the sum of nothing is 0. */
export function sumOf(numbers: readonly (number | bigint)[]): Value {
  const whole = numbers.every((number) => typeof number === "bigint");
  const exact = whole ? numbers.reduce((sum, number) => sum + number, 0n) : undefined;
  if (exact !== undefined && BigInt.asIntN(64, exact) === exact) return { integerValue: String(exact) };
  return doubleOf(doubleSum(numbers));
}

/** Averages numbers; null for an empty list. */
export function averageOf(numbers: readonly (number | bigint)[]): Value {
  return numbers.length === 0 ? { nullValue: null } : doubleOf(doubleSum(numbers) / numbers.length);
}

function doubleSum(numbers: readonly (number | bigint)[]): number {
  return numbers.reduce<number>((sum, number) => sum + Number(number), 0);
}

function doubleOf(value: number): Value {
  return { doubleValue: Number.isFinite(value) ? value : String(value) };
}
