import { missOf, type HeldLimits, type Miss } from "../../lib/limited.ts";
import { messages } from "../error-messages.ts";
import { BadInput } from "./bad-input.ts";

/** Returns a parameter, header, cookie or form value if it is absent or within its limits. Throws otherwise. */
export function withinLimits<T>(value: T, where: string, limits: HeldLimits): T {
  const miss = value === undefined ? undefined : missOf(value, limits);
  if (miss !== undefined) throw new BadInput(`${where}: ${missSentence(miss)}`);
  return value;
}

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
