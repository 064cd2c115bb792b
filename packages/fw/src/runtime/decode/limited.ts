import { missOf, type HeldLimits, type Miss } from "../../lib/limited.ts";
import { messages } from "../error-messages.ts";
import { BadInput } from "./bad-input.ts";

/** A value of a path, query, header, cookie or form, where it is within its limits or absent. */
export function limited<T>(value: T, where: string, limits: HeldLimits): T {
  const miss = value === undefined ? undefined : missOf(value, limits);
  if (miss !== undefined) throw new BadInput(`${where}: ${missSentence(miss)}`);
  return value;
}

/** What is said of a value that misses a limit. */
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

/** One thing that is wrong with a request. */
interface Problem {
  /** Where: `body title`, `query limit`. */
  readonly at: string;
  readonly problem: string;
}

/**
 * The refusal of a request with all that is wrong with it in its details: what each of the parts of its decoder refuses. The
 * sentence is the first's, as ever.
 */
export function whole400(refused: unknown, raw: unknown, parts: readonly ((raw: never) => unknown)[]): unknown {
  if (!(refused instanceof BadInput)) return refused;
  const found = new Map([[refused.message, problemOf(refused.message)]]);
  for (const part of parts) {
    const other = refusalOf(() => part(raw as never));
    if (other !== undefined) found.set(other.message, problemOf(other.message));
  }
  return new BadInput(refused.message, { problems: [...found.values()] });
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
