import type { IO } from "./io.ts";

/** One command of `fw`, as data: help, suggestions and docs/commands.md come from it. */
export interface Command {
  /** As it is typed: `dev`, `gen graph`. */
  readonly name: string;
  /** One sentence, no full stop. */
  readonly summary: string;
  /** Paragraphs for the command's own help. */
  readonly details: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly { readonly line: string; readonly says: string }[];
  run(options: OptionValues, io: IO): Promise<ExitCode>;
}

/** `value` is the placeholder of an option that takes one; a flag has none. */
export interface Option {
  readonly value?: string;
  /** What the option may be, when that is a closed set. */
  readonly choices?: readonly string[];
  readonly short?: string;
  readonly summary: string;
}

export type OptionValues = Readonly<Record<string, string | true | undefined>>;

/** 0: done. 1: it ran and the answer is no. 2: it could not run, or was called wrongly. */
export type ExitCode = 0 | 1 | 2;

/** A sentence for the person at the terminal; ends the command with exit code 2. */
export class Refusal extends Error {}

/** Options that every command has. */
export const commonOptions: Readonly<Record<string, Option>> = {
  cwd: { value: "<dir>", short: "C", summary: "run as if started in this directory" },
  help: { short: "h", summary: "show this help" },
};
