type Scalar = string | number | bigint | boolean;

/** Named values in a request to another service. A list repeats its name, and undefined is omitted. */
type Fields<Value> = readonly (readonly [name: string, value: Value | readonly Value[] | undefined])[];

export function pathText(segments: readonly Scalar[], query: Fields<Scalar>): string {
  const path = segments.map((segment) => `/${encodeURIComponent(String(segment))}`).join("");
  const pairs = flattenValues(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  return (path === "" ? "/" : path) + (pairs.length === 0 ? "" : `?${pairs.join("&")}`);
}

export function formFields(fields: Fields<Scalar | object>): (readonly [name: string, value: string | object])[] {
  return flattenValues(fields).map(([name, value]) => [name, typeof value === "object" ? value : String(value)]);
}

/**
 * Encodes headers and cookies for another service of the application, which receives them exactly, even with characters
 * that HTTP headers cannot contain.
 */
export function wireFields(headersAndCookies: Readonly<Record<string, Fields<Scalar>>>): string {
  const pairs = new URLSearchParams();
  for (const [source, fields] of Object.entries(headersAndCookies))
    for (const [name, value] of flattenValues(fields)) pairs.append(`${source} ${name}`, String(value));
  return pairs.toString();
}

function flattenValues<Value>(fields: Fields<Value>): (readonly [name: string, value: Value])[] {
  return fields.flatMap(([name, value]) => {
    const values = Array.isArray(value) ? (value as readonly Value[]) : [value as Value | undefined];
    return values.flatMap((each): (readonly [string, Value])[] => (each === undefined ? [] : [[name, each]]));
  });
}
