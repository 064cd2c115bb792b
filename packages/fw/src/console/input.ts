/** Input that the console's page has posted. */
export type Input = Readonly<Record<string, unknown>>;

/** A problem with a value that the user has entered. */
export interface InputProblem {
  /** The path to the invalid value, such as `contact.number`; "" for the entire value. */
  readonly at: string;
  readonly problem: string;
}

/** Signals invalid input from the console user. The page shows the message, or the problems next to the input. */
export class BadInput extends Error {
  readonly problems: readonly InputProblem[] | undefined;

  constructor(message: string, problems?: readonly InputProblem[]) {
    super(message);
    this.problems = problems;
  }
}

/** Creates the error for a value with problems. */
export function wrongValue(problems: readonly InputProblem[]): BadInput {
  return new BadInput(problems.map(problemText).join("; "), problems);
}

function problemText({ at, problem }: InputProblem): string {
  return at === "" ? problem : `${at}: ${problem}`;
}

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
