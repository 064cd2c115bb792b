import type { OldMessage } from "../../declare/evolution.ts";
import { exactText } from "../../lib/exact-text.ts";
import { MisfitMessage } from "../../platform/misfit.ts";
import { parseExact } from "../body/json-exact.ts";
import type { BundledDestination } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Decodes a message that an older version may have sent. The rules of its declaration convert fields that do not fit.
 * Throws a MisfitMessage if they cannot.
 */
export function decodeStored(destination: BundledDestination, value: unknown): unknown {
  const { renamed, upgrade = {} } = destination.declaration?.evolution ?? {};
  let message = renamed === undefined ? value : withNewNames(value, renamed as Readonly<Record<string, string>>);
  const appliedRules = new Set<string>();
  for (;;) {
    try {
      return destination.decode(message);
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      const { field } = error;
      if (field === undefined || appliedRules.has(field) || !Object.hasOwn(upgrade, field) || !isObject(message))
        throw misfit(destination, error);
      appliedRules.add(field);
      message = withField(message, field, valueOf(upgrade[field], value as Members));
    }
  }
}

function withNewNames(message: unknown, renamed: Readonly<Record<string, string>>): unknown {
  if (!isObject(message)) return message;
  const renames = Object.entries(renamed).filter(
    ([name, earlier]) => !Object.hasOwn(message, name) && Object.hasOwn(message, earlier),
  );
  return renames.length === 0
    ? message
    : { ...message, ...Object.fromEntries(renames.map(([name, earlier]) => [name, message[earlier]])) };
}

function withField(message: Members, name: string, value: unknown): Members {
  return { ...message, [name]: value };
}

/** Returns the value of a rule in its JSON form. */
function valueOf(rule: unknown, old: Members): unknown {
  const value = typeof rule === "function" ? (rule as (old: OldMessage) => unknown)(old as OldMessage) : rule;
  return value === undefined ? undefined : parseExact(exactText(value) ?? "null");
}

function misfit({ kind, name }: BundledDestination, { message }: BadInput): MisfitMessage {
  return new MisfitMessage(
    `it does not fit the type of the ${kind} "${name}": ${message}; it waits for a version that takes it`,
  );
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
