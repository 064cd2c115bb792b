/** Input that the console's page has posted. */
export type Input = Readonly<Record<string, unknown>>;

/** The console's user has entered something invalid; the page shows the message. */
export class BadInput extends Error {}

export function text(input: Input, name: string): string {
  const value = input[name];
  if (typeof value === "string") return value;
  throw new BadInput(`"${name}" must be a string`);
}

export function optionalText(input: Input, name: string): string | undefined {
  return input[name] === undefined || input[name] === "" ? undefined : text(input, name);
}

export function list(input: Input, name: string): readonly Input[] {
  const value = input[name] ?? [];
  if (Array.isArray(value)) return value as readonly Input[];
  throw new BadInput(`"${name}" must be a list`);
}
