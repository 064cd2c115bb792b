type Scalar = string | number | bigint | boolean;

/** Values of a request to another service: a list is every value of a repeated name, undefined is left out. */
type Fields<Value> = readonly (readonly [name: string, value: Value | readonly Value[] | undefined])[];

/** A path with its query, percent-encoded. */
export function pathText(segments: readonly Scalar[], query: Fields<Scalar>): string {
  const path = segments.map((segment) => `/${encodeURIComponent(String(segment))}`).join("");
  const pairs = given(query).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return (path === "" ? "/" : path) + (pairs.length === 0 ? "" : `?${pairs.join("&")}`);
}

/** Fields of a form: text, and what is an object as it is. */
export function formFields(fields: Fields<Scalar | object>): (readonly [name: string, value: string | object])[] {
  return given(fields).map(([name, value]) => [name, typeof value === "object" ? value : String(value)]);
}

/** Headers and cookies, by what they are, as another service of the application gets them, exactly, whatever HTTP has against their characters. */
export function wireFields(sent: Readonly<Record<string, Fields<Scalar>>>): string {
  const pairs = new URLSearchParams();
  for (const [source, fields] of Object.entries(sent))
    for (const [name, value] of given(fields)) pairs.append(`${source} ${name}`, String(value));
  return pairs.toString();
}

function given<Value>(fields: Fields<Value>): (readonly [name: string, value: Value])[] {
  return fields.flatMap(([name, value]) => {
    const values = Array.isArray(value) ? (value as readonly Value[]) : [value as Value | undefined];
    return values.flatMap((each): (readonly [string, Value])[] => (each === undefined ? [] : [[name, each]]));
  });
}
