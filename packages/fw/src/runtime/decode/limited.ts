import { missOf, type HeldLimits, type Miss } from "../../lib/limited.ts";
import { messages } from "../error-messages.ts";
import { BadInput } from "./bad-input.ts";

/** Returns a parameter, header, cookie or form value if it is absent or within its limits; else throws. */
export function withinLimits<T>(value: T, where: string, limits: HeldLimits): T {
  const miss = value === undefined ? undefined : missOf(value, limits);
  if (miss !== undefined) throw new BadInput(`${where}: ${missSentence(miss)}`);
  return value;
}

/** Describes the violated limit. */
export function missSentence(miss: Miss): string {
  if ("limit" in miss) return bounds[miss.is](miss.limit);
  if (miss.is === "notOfPattern") return messages.notOfPattern(miss.pattern);
  return miss.is === "notEmail" ? messages.notEmail : messages.notURL;
}

const bounds = {
  tooLong: messages.tooLong,
  tooShort: messages.tooShort,
  aboveMax: messages.aboveMax,
  belowMin: messages.belowMin,
  tooMany: messages.tooMany,
  tooFew: messages.tooFew,
} as const;

/** A problem of a request. */
interface Problem {
  /** The location, such as `body title` or `query limit`. */
  readonly at: string;
  readonly problem: string;
}

/**
 * Adds every problem of a request to the details of its refusal by running the decoders of all its parts. The message
 * stays that of the first.
 */
export function whole400(refusal: unknown, raw: unknown, parts: readonly ((raw: never) => unknown)[]): unknown {
  if (!(refusal instanceof BadInput)) return refusal;
  const problems = new Map([[refusal.message, problemOf(refusal.message)]]);
  for (const part of parts) {
    const other = refusalOf(() => part(raw as never));
    if (other !== undefined) problems.set(other.message, problemOf(other.message));
  }
  return new BadInput(refusal.message, { problems: [...problems.values()] });
}

function refusalOf(decode: () => unknown): BadInput | undefined {
  try {
    decode();
    return undefined;
  } catch (error) {
    if (error instanceof BadInput) return error;
    throw error;
  }
}

function problemOf(message: string): Problem {
  const at = message.indexOf(": ");
  return { at: message.slice(0, at), problem: message.slice(at + 2) };
}
