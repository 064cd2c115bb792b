type One = string | number | bigint | boolean | object;

/** Values of a request to another service: a list is every value of a repeated name, undefined is left out. */
type Fields = readonly (readonly [name: string, value: One | readonly One[] | undefined])[];

/** A path with its query, percent-encoded. */
export function pathText(segments: readonly (string | number | bigint | boolean)[], query: Fields): string {
  const path = segments.map((segment) => `/${encodeURIComponent(String(segment))}`).join("");
  const pairs = given(query).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return (path === "" ? "/" : path) + (pairs.length === 0 ? "" : `?${pairs.join("&")}`);
}

/** Fields of a form: text, and what is an object as it is. */
export function formFields(fields: Fields): (readonly [name: string, value: string | object])[] {
  return given(fields).map(([name, value]) => [name, typeof value === "object" ? value : String(value)]);
}

function given(fields: Fields): (readonly [name: string, value: One])[] {
  return fields.flatMap(([name, value]) => {
    const values = Array.isArray(value) ? (value as readonly One[]) : [value as One | undefined];
    return values.flatMap((each): (readonly [string, One])[] => (each === undefined ? [] : [[name, each]]));
  });
}
