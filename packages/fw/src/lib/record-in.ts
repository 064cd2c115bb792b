/** True for objects other than arrays and null. In parsed JSON, these are the values in braces. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for objects with named members, in data that may contain dates. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !(value instanceof Date);
}

/** Parses text as a JSON object; returns undefined for any other text. */
export function recordIn(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
