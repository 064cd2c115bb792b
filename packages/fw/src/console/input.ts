/** The input that the console's page posts. */
export type Input = Readonly<Record<string, unknown>>;

/** An invalid request of the console's user; the message is shown. */
export class BadInput extends Error {}

export function text(given: Input, name: string): string {
  const value = given[name];
  if (typeof value === "string") return value;
  throw new BadInput(`"${name}" must be a text`);
}

export function optionalText(given: Input, name: string): string | undefined {
  return given[name] === undefined || given[name] === "" ? undefined : text(given, name);
}

export function list(given: Input, name: string): readonly Input[] {
  const value = given[name] ?? [];
  if (Array.isArray(value)) return value as readonly Input[];
  throw new BadInput(`"${name}" must be a list`);
}
