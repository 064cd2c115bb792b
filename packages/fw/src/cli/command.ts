import type { IO } from "./io.ts";

/** One command of `fw`, as data: help, suggestions and docs/commands.md come from it. */
export interface Command {
  /** As it is typed: `dev`, `gen graph`. */
  readonly name: string;
  /** One sentence, no full stop. */
  readonly summary: string;
  /** Paragraphs for the command's own help. */
  readonly details: readonly string[];
  /** What follows the name, in order: those that must be there, then those that may, then a rest. None by default. */
  readonly arguments?: readonly Argument[];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly { readonly line: string; readonly says: string }[];
  run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode>;
}

/** A word after a command's name. */
export interface Argument {
  /** As help shows it, without brackets: `email`. */
  readonly name: string;
  /** One word by default; `optional` is one or none, `rest` any number. */
  readonly takes?: "optional" | "rest";
  readonly summary: string;
}

/** `value` is the placeholder of an option that takes one; a flag has none. */
export interface Option {
  readonly value?: string;
  /** What the option may be, when that is a closed set. */
  readonly choices?: readonly string[];
  readonly short?: string;
  /** Whether it may be given more than once. */
  readonly many?: boolean;
  readonly summary: string;
}

/** A flag is true; an option that may be given more than once is a list. */
export type OptionValues = Readonly<Record<string, string | true | readonly string[] | undefined>>;

/** The words of each argument, by its name; read with `argument`, `optionalArgument` and `restArgument` of `parse.ts`. */
export type ArgumentValues = ReadonlyMap<string, readonly string[]>;

/** 0: done. 1: it ran and the answer is no. 2: it could not run, or was called wrongly. */
export type ExitCode = 0 | 1 | 2;

/** A sentence for the person at the terminal; ends the command with exit code 2. */
export class Refusal extends Error {}

/** Options that every command has. */
export const commonOptions: Readonly<Record<string, Option>> = {
  cwd: { value: "<dir>", short: "C", summary: "run as if started in this directory" },
  help: { short: "h", summary: "show this help" },
};
