// JavaScript can throw anything: values without a prototype, hostile proxies, errors with members that throw. No
// exported function of this module throws.

export interface ErrorText {
  /** The error's message; "" if it has none. */
  readonly message: string;
  /** The error's stack; the message if it has none. */
  readonly stack: string;
}

const textless = "a value that cannot be converted to a string was thrown";

/** Like `value instanceof type`, but returns false if the check itself throws, as it may for proxies. */
export function isA<T>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** Returns the message of a thrown value, or the value as a string if it has none. */
export function messageOf(thrown: unknown): string {
  const own = isA(thrown, Error) ? textOf(() => thrown.message) : undefined;
  if (own !== undefined && own !== "") return own;
  // An object without a prototype cannot be converted to a string, but often has a message like an error.
  return textOf(() => String(thrown)) ?? textOf(() => (thrown as Error).message) ?? textless;
}

export function errorTextOf(error: Error): ErrorText {
  const message = textOf(() => error.message) ?? "";
  const stack = textOf(() => error.stack) ?? textOf(() => `${error.name}: ${error.message}`) ?? messageOf(error);
  return { message, stack };
}

/** The maximum number of causes to show. */
const mostCauses = 8;

/** Returns the stacks of a thrown error and its causes, or the message of any other value. */
export function stackOf(thrown: unknown): string {
  if (!isA(thrown, Error)) return messageOf(thrown);
  const chain: Error[] = [];
  for (let error: Error | undefined = thrown; error && !chain.includes(error) && chain.length < mostCauses;)
    error = causeOf(chain[chain.push(error) - 1] as Error);
  return chain.map((error) => errorTextOf(error).stack).join("\ncaused by ");
}

/** Converts a thrown value to a well-behaved Error. */
export function asError(thrown: unknown): Error {
  if (isA(thrown, Error) && isReadable(thrown)) return thrown;
  const error = new Error(messageOf(thrown));
  if (isA(thrown, Error)) error.stack = errorTextOf(thrown).stack;
  return error;
}

function isReadable(error: Error): boolean {
  try {
    const { name, message, stack, cause } = error;
    return [name, message, stack].every((text) => typeof text === "string") && (cause === error || canBeAsked(cause));
  } catch {
    return false;
  }
}

/** True unless a value is an error without a readable stack. Throws for a proxy that throws. */
function canBeAsked(value: unknown): boolean {
  return !(value instanceof Error) || typeof value.stack === "string";
}

function causeOf(error: Error): Error | undefined {
  try {
    return isA(error.cause, Error) ? error.cause : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the result of `read` if it is a string; undefined otherwise, also if `read` throws. */
export function textOf(read: () => unknown): string | undefined {
  try {
    const text = read();
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
