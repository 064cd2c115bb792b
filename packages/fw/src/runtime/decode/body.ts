import { jsonDepth } from "../../lib/limits.ts";
import { messages } from "../error-messages.ts";
import { missOf, type HeldLimits } from "../../lib/limited.ts";
import { pathStep, quoted } from "../../lib/path-step.ts";
import { BadInput, valueIsNot } from "./bad-input.ts";
import { missSentence } from "./limited.ts";
import { parseDate } from "./rfc3339.ts";

// The reason for the last failure. Generated decoders return undefined for a value of the wrong shape and store the
// reason here, so success needs no result object and a union can compare the reasons of its variants. Decoding is
// synchronous, so one slot is enough.
let failure: Failure = { value: undefined, type: "", path: undefined, depth: 0 };

/** The reason why a value was refused, and its path below the decoded value. */
interface Failure {
  /** The message for a value of the right type that violates its limits. */
  readonly says?: string;
  readonly value: unknown;
  readonly type: string;
  readonly path: PathStep | undefined;
  readonly depth: number;
}

interface PathStep {
  readonly key: string | number;
  readonly next: PathStep | undefined;
}

/** Records that `value` is not of `type`. */
export function wrong(value: unknown, type: string): undefined {
  failure = { value, type, path: undefined, depth: 0 };
}

/** Records that `value`, at `key`, is not of `type`. */
export function wrongAt(value: unknown, key: string | number, type: string): undefined {
  failure = { value, type, path: { key, next: undefined }, depth: 1 };
}

/** Returns the value if it is within its limits. Otherwise, records the limit it violates. */
export function within<T>(value: T, limits: HeldLimits): T | undefined {
  const miss = missOf(value, limits);
  if (miss === undefined) return value;
  failure = { value, type: "", path: undefined, depth: 0, says: missSentence(miss) };
  return undefined;
}

/** Returns a record's key if it is within its limits. Otherwise, records the limit it violates. */
export function keyWithin(key: string, limits: HeldLimits): string | undefined {
  const miss = missOf(key, limits);
  if (miss === undefined) return key;
  failure = { value: key, type: "", path: undefined, depth: 0, says: messages.keyOf(quoted(key), missSentence(miss)) };
  return undefined;
}

/** Prepends `key` to the path of the failure. */
export function pushPath(key: string | number): undefined {
  failure = { ...failure, path: { key, next: failure.path }, depth: failure.depth + 1 };
}

/**
 * Returns the last failure or `best`, whichever is deeper: a union reports the variant that came closest. At the same
 * depth, a violated limit counts as closer, and a wrong value as closer than a missing one.
 */
export function deepestFailure(best?: Failure): Failure {
  if (best === undefined || best.depth < failure.depth) return failure;
  if (best.depth === failure.depth && best.says === undefined && failure.says !== undefined) return failure;
  const isCloser = best.depth === failure.depth && best.value === undefined && failure.value !== undefined;
  return isCloser ? failure : best;
}

/**
 * Merges the results of two union variants for one value. Each result has only its variant's members. If a member is a
 * date in one result and a string in the other, the variant with more dates wins for all such members.
 */
export function merged(a: unknown, b: unknown): unknown {
  if (a === undefined || a === b) return b;
  return moreDates(a, b) > 0 ? fillFrom(b, a) : fillFrom(a, b);
}

/** Returns how many more dates `b` has than `a` among shared members. Skips identical parts. */
function moreDates(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a instanceof Date || b instanceof Date) return Number(b instanceof Date) - Number(a instanceof Date);
  if (!isObject(a) || !isObject(b)) return 0;
  let sum = 0;
  for (const [key, member] of Object.entries(a)) if (Object.hasOwn(b, key)) sum += moreDates(member, b[key]);
  return sum;
}

/** Copies the first value and adds the members that only the second one has, at every depth. */
function fillFrom(a: unknown, b: unknown): unknown {
  if (a === b || a instanceof Date || b instanceof Date || !isObject(a) || !isObject(b)) return a;
  if (Array.isArray(a)) return a.map((item, i) => fillFrom(item, b[i]));
  const out: Members = { ...a };
  for (const [key, member] of Object.entries(b)) out[key] = Object.hasOwn(a, key) ? fillFrom(a[key], member) : member;
  return out;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

/** Records the failure of a union: the failure of the closest variant, or a mismatch with the union itself. */
export function noneOf(best: Failure | undefined, value: unknown, type: string): undefined {
  const isOfNone = best === undefined || (best.depth === 0 && best.says === undefined);
  failure = isOfNone ? { value, type, path: undefined, depth: 0 } : best;
}

/** Throws the recorded failure as the BadInput that a client sees. */
export function refuse(): never {
  throw notedRefusal([]).error;
}

/** Returns the recorded failure as a client sees it, and its location. `above` is the path to the decoded value. */
export function notedRefusal(above: readonly (string | number)[]): {
  readonly where: string;
  readonly error: BadInput;
} {
  const steps = [...above];
  for (let step = failure.path; step !== undefined; step = step.next) steps.push(step.key);
  const where = placeInBody(steps);
  if (failure.says !== undefined) return { where, error: new BadInput(`${where}: ${failure.says}`) };
  const [field] = steps;
  const named = typeof field === "string" ? field : undefined;
  return { where, error: valueIsNot(where, failure.value, failure.type, named) };
}

/** Formats the location of a value in the body: `body items[2].price`. */
export function placeInBody(path: readonly (string | number)[]): string {
  const steps = path.map(pathStep).join("");
  return steps === "" ? "body" : `body ${steps.replace(/^\./, "")}`;
}

/** Throws a BadInput for a body that is nested too deeply. The limit bounds the recursion. */
export function tooDeep(): never {
  throw new BadInput(messages.deepJSON);
}

/**
 * Caches the result of decoding each object against a recursive union, so that trying all variants takes time linear in
 * the size of the body.
 */
type Memo = WeakMap<object, { readonly result: unknown; readonly failure: Failure }>;

/** Decodes `value` with `decode`. An object that was already decoded gets its cached result or failure. */
export function memoized(
  memo: Memo,
  value: unknown,
  depth: number,
  decode: (value: unknown, depth: number) => unknown,
): unknown {
  if (typeof value !== "object" || value === null) return decode(value, depth);
  const memoizedResult = memo.get(value);
  if (memoizedResult === undefined) {
    const result = decode(value, depth);
    memo.set(value, { result, failure });
    return result;
  }
  failure = memoizedResult.failure;
  return memoizedResult.result;
}

export function toDate(value: unknown): Date | undefined {
  return (typeof value === "string" ? parseDate(value) : undefined) ?? wrong(value, "date");
}

/** Decodes a 64-bit integer in a body that was parsed exactly. Records any other value and returns undefined. */
export function bodyInt64(value: unknown): bigint | undefined {
  const exact = Number.isSafeInteger(value) ? BigInt(value as number) : value;
  return typeof exact === "bigint" && BigInt.asIntN(64, exact) === exact ? exact : wrong(value, "int64");
}

/** Decodes a finite double in a body that was parsed exactly. Records any other value and returns undefined. */
export function bodyNumber(value: unknown): number | undefined {
  const double = typeof value === "bigint" ? Number(value) : value;
  return Number.isFinite(double) ? (double as number) : wrong(value, "number");
}

/** Decodes any JSON value, dropping keys that could change prototypes in a careless merge. */
export function bodyJSON(value: unknown, depth: number): unknown {
  return value === undefined ? wrong(value, "JSON value") : clean(value, depth);
}

/** Converts bigints to numbers and drops unsafe keys, at every depth. Returns the same value if there are none. */
function clean(value: unknown, depth: number): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > jsonDepth) tooDeep();
  return Array.isArray(value) ? cleanItems(value, depth) : cleanMembers(value as Members, depth);
}

type Members = Record<string, unknown>;

function cleanItems(items: readonly unknown[], depth: number): readonly unknown[] {
  let out: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = clean(items[i], depth + 1);
    if (item !== items[i]) (out ??= [...items])[i] = item;
  }
  return out ?? items;
}

function cleanMembers(members: Members, depth: number): Members {
  const keys = Object.keys(members);
  let out: Members | undefined;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const member = members[key];
    const value = clean(member, depth + 1);
    const poison = isPoison(key, member);
    if (value !== member || poison) out ??= firstMembers(members, keys, i);
    if (out !== undefined && !poison) out[key] = value;
  }
  return out ?? members;
}

function firstMembers(members: Members, keys: readonly string[], count: number): Members {
  const first: Members = {};
  for (const key of keys.slice(0, count)) first[key] = members[key];
  return first;
}

function isPoison(key: string, member: unknown): boolean {
  if (key === "__proto__") return true;
  return key === "constructor" && typeof member === "object" && member !== null && Object.hasOwn(member, "prototype");
}
