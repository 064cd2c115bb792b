import { isObject } from "../../lib/record-in.ts";
import { allMisses, type HeldLimits } from "../../lib/limited.ts";
import { mostProblems } from "../../lib/limits.ts";
import { messages } from "../error-messages.ts";
import { quoted } from "../../lib/path-step.ts";
import { BadInput } from "./bad-input.ts";
import { notedRefusal, placeInBody, wrong } from "./body.ts";
import { missSentence } from "./limited.ts";

/** Limit: characters of problems that a response lists; no more are added after that. */
const problemCharacters = 16 * 1024;

interface Problem {
  /** The location, such as `body title` or `query limit`. */
  readonly at: string;
  readonly problem: string;
}

/**
 * Checks a value. Returns undefined if the value itself is wrong, after recording the reason as decoders do. Returns
 * `Parts` to check next, or anything else if the value is right or its problems are already listed.
 */
type Check = (value: unknown, depth: number, problems: Problems) => unknown;

type Checks = Readonly<Record<string, Check>>;

type Part = readonly [key: string | number, value: unknown, check: Check];

/** The values inside a value, to check next. */
class Parts {
  readonly depth: number;
  readonly each: Iterator<Part>;

  constructor(depth: number, each: Iterator<Part>) {
    this.depth = depth;
    this.each = each;
  }
}

/** Finds the problems of one part of a request: a bound field, or the body. */
type PartCheck = (raw: never, problems: Problems) => unknown;

/**
 * Returns a copy of `refused` whose details list all problems of the request, up to the limits. Returns `refused`
 * itself if it is not a BadInput, or with fewer than `least` problems. Only refusals search for more problems, because
 * decoders stop at the first.
 */
export function whole400(refused: unknown, raw: unknown, parts: readonly PartCheck[], least: number = 1): unknown {
  if (!(refused instanceof BadInput)) return refused;
  const problems = new Problems(refused.message);
  for (const part of parts) problems.attempt(() => part(raw as never, problems));
  const { list } = problems;
  return list.length < least ? refused : new BadInput(refused.message, { problems: list });
}

/** Collects the problems of a request, up to the limit of a response. Called by generated code. */
class Problems {
  readonly #byMessage = new Map<string, Problem>();
  /** The path to the value of the body that is being checked. */
  readonly #path: (string | number)[] = [];
  #characters = 0;

  constructor(first: string) {
    const colon = first.indexOf(": ");
    this.#note(first.slice(0, colon), first);
  }

  get list(): readonly Problem[] {
    return [...this.#byMessage.values()];
  }

  get #isFull(): boolean {
    return this.#byMessage.size >= mostProblems || this.#characters >= problemCharacters;
  }

  /** Runs a check, and adds the problem that it throws. */
  attempt(check: () => unknown): void {
    try {
      if (!this.#isFull) check();
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      this.#note(error.message.slice(0, error.message.indexOf(": ")), error.message);
    }
  }

  /** Checks the value of a bound field, or its list of values, against its limits. */
  within(value: unknown, where: string, limits: HeldLimits): void {
    for (const miss of allMisses(value, limits)) this.#note(where, `${where}: ${missSentence(miss)}`);
  }

  /** Checks the body with an explicit stack, because checks may nest deeper than the call stack allows. */
  body(body: unknown, check: Check): void {
    const stack: Parts[] = [];
    const visit = (value: unknown, depth: number, one: Check): void => {
      const result = one(value, depth, this);
      if (result === undefined) this.#noteFailure();
      if (result instanceof Parts) stack.push(result);
      else this.#path.pop();
    };
    visit(body, 0, check);
    for (let parts = stack.at(-1); parts !== undefined && !this.#isFull; parts = stack.at(-1)) {
      const next = parts.each.next();
      if (next.done === true) {
        stack.pop();
        this.#path.pop();
      } else {
        const [key, value, one] = next.value;
        this.#path.push(key);
        visit(value, parts.depth, one);
      }
    }
  }

  limited(decoded: unknown, limits: HeldLimits): true | undefined {
    if (decoded === undefined) return undefined;
    this.#noteMisses(decoded, limits, (sentence) => sentence);
    return true;
  }

  fields(value: unknown, depth: number, checks: Checks, optional: readonly string[] = []): Parts | undefined {
    if (!isObject(value)) return wrong(value, "object");
    const parts = Object.entries(checks).flatMap(([name, check]): readonly Part[] => {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      return member === undefined && optional.includes(name) ? [] : [[name, member, check]];
    });
    return new Parts(depth, parts.values());
  }

  items(value: unknown, depth: number, check: Check, limits?: HeldLimits): Parts | undefined {
    if (!Array.isArray(value)) return wrong(value, "list");
    if (limits !== undefined) this.#noteMisses(value, limits, (sentence) => sentence);
    return new Parts(depth, itemParts(value, value.length, [], check));
  }

  /** Checks a list whose first `least` items are required. Items after `checks` have the type `rest`. */
  tuple(
    value: unknown,
    depth: number,
    [type, least]: readonly [string, number],
    checks: readonly Check[],
    rest?: Check,
  ): Parts | undefined {
    if (!Array.isArray(value) || (rest === undefined && value.length > checks.length)) return wrong(value, type);
    return new Parts(depth, itemParts(value, Math.max(value.length, least), checks, rest));
  }

  entries(value: unknown, depth: number, check: Check, keys?: HeldLimits): Parts | undefined {
    if (!isObject(value)) return wrong(value, "object");
    const names = Object.keys(value).filter((name) => name !== "__proto__");
    for (const name of keys === undefined ? [] : names) {
      this.#noteMisses(name, keys ?? {}, (sentence) => messages.keyOf(quoted(name), sentence));
    }
    const parts = names.map((name): Part => [name, value[name], check]);
    return new Parts(depth, parts.values());
  }

  /** Checks an object by its tag. `decode` reports any other value. */
  variant(
    value: unknown,
    depth: number,
    tag: string,
    variants: readonly (readonly [unknown, Check])[],
    decode: Check,
  ): unknown {
    const own = isObject(value) && Object.hasOwn(value, tag) ? value[tag] : undefined;
    const [, check = decode] = variants.find(([literal]) => literal === own) ?? [];
    return check(value, depth, this);
  }

  /** Checks a value of a union with one object variant or one list variant. `decode` reports any other value. */
  either(value: unknown, depth: number, decode: Check, object?: Check, list?: Check): unknown {
    const check = Array.isArray(value) ? list : isObject(value) ? object : undefined;
    return (check ?? decode)(value, depth, this);
  }

  #noteFailure(): void {
    const { where, error } = notedRefusal(this.#path);
    this.#note(where, error.message);
  }

  #noteMisses(value: unknown, limits: HeldLimits, sentenceOf: (sentence: string) => string): void {
    const misses = allMisses(value, limits);
    if (misses.length === 0) return;
    const where = placeInBody(this.#path);
    for (const miss of misses) this.#note(where, `${where}: ${sentenceOf(missSentence(miss))}`);
  }

  #note(at: string, message: string): void {
    const isKnown = this.#byMessage.has(message);
    if (!isKnown && this.#isFull) return;
    if (!isKnown) this.#characters += message.length;
    // Cut by the length of `at`, because a key may contain a colon.
    this.#byMessage.set(message, { at, problem: message.slice(at.length + 2) });
  }
}

function* itemParts(
  list: readonly unknown[],
  length: number,
  checks: readonly Check[],
  rest: Check | undefined,
): Generator<Part> {
  for (let i = 0; i < length; i++) {
    const check = checks[i] ?? rest;
    if (check !== undefined) yield [i, list[i], check];
  }
}
