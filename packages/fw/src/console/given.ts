/** What the console's page has posted. */
export type Given = Readonly<Record<string, unknown>>;

/** What was asked for cannot be; a sentence for who looks at the console. */
export class WrongUse extends Error {}

export function text(given: Given, name: string): string {
  const value = given[name];
  if (typeof value === "string") return value;
  throw new WrongUse(`"${name}" is a text`);
}

export function optionalText(given: Given, name: string): string | undefined {
  return given[name] === undefined || given[name] === "" ? undefined : text(given, name);
}

export function list(given: Given, name: string): readonly Given[] {
  const value = given[name] ?? [];
  if (Array.isArray(value)) return value as readonly Given[];
  throw new WrongUse(`"${name}" is a list`);
}
