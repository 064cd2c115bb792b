import { Refusal } from "./errors.ts";
import type { Random } from "./random.ts";

/** A fault of a call: an error response, a delay, or a connection that breaks before or after the effect. */
export type Fault =
  | "429"
  | "503"
  | "ABORTED"
  | "503 after effect"
  | "slow"
  | "reset before effect"
  | "reset after effect";

/** A fault, and the calls that it hits. */
export interface FaultRule<Kind extends string = Fault> {
  readonly fault: Kind;
  /** The affected methods, such as `pubsub.projects.topics.publish`; all by default. */
  readonly method?: string | RegExp;
  /** The share of matching calls to hit, from 0 to 1; 1 by default. */
  readonly probability?: number;
  /** The number of hits after which the fault ends. */
  readonly times?: number;
  /** The delay of `slow`, in milliseconds. */
  readonly milliseconds?: number;
  /** The `Retry-After` value in seconds. */
  readonly retryAfter?: number;
}

/** The faults that a test has requested. */
export class Faults<Kind extends string = Fault> {
  readonly #random: Random;
  #rules: { readonly rule: FaultRule<Kind>; left: number }[] = [];
  /** The number of calls that each fault has hit. */
  readonly hits: Map<Kind, number> = new Map();
  /** The shares of messages that are duplicated and delayed, from 0 to 1. */
  duplicates = 0;
  reordering = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  add(rule: FaultRule<Kind>): void {
    this.#rules.push({ rule, left: rule.times ?? Infinity });
  }

  clear(): void {
    this.#rules = [];
    this.duplicates = 0;
    this.reordering = 0;
  }

  /** Returns the fault for a call of the method, if any. */
  next(method: string): FaultRule<Kind> | undefined {
    const hit = this.#rules.find(
      ({ rule, left }) => left > 0 && isMeant(rule.method, method) && this.#random.chance(rule.probability ?? 1),
    );
    if (!hit) return undefined;
    hit.left -= 1;
    this.hits.set(hit.rule.fault, (this.hits.get(hit.rule.fault) ?? 0) + 1);
    return hit.rule;
  }

  isDuplicate(): boolean {
    return this.#random.chance(this.duplicates);
  }

  /** Returns the delay of a message in milliseconds. */
  holdUp(): number {
    return this.#random.chance(this.reordering) ? Math.ceil(this.#random.next() * 1000) : 0;
  }
}

/** Returns the error response of a fault; undefined for a delay or a broken connection. */
export function refusalOf(fault: Fault): Refusal | undefined {
  if (fault === "429")
    return new Refusal(
      "RESOURCE_EXHAUSTED",
      "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'.",
    );
  if (fault === "503" || fault === "503 after effect")
    return new Refusal("UNAVAILABLE", "The service is currently unavailable.");
  if (fault === "ABORTED")
    return new Refusal(
      "ABORTED",
      "Aborted due to cross-transaction contention. This occurs when multiple transactions attempt to access the same data, requiring Firestore to abort at least one in order to enforce serializability.",
    );
  return undefined;
}

function isMeant(wanted: string | RegExp | undefined, method: string): boolean {
  return wanted === undefined || (typeof wanted === "string" ? wanted === method : wanted.test(method));
}
