import { messageOf } from "../lib/thrown.ts";
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

export type Option = Flag | ValueOption | ListOption;

/** An option without a value. */
export interface Flag {
  readonly value?: undefined;
  readonly choices?: undefined;
  readonly many?: undefined;
  readonly short?: string;
  readonly summary: string;
}

/** An option with a value, of which `value` is the placeholder. */
export interface ValueOption extends Omit<Flag, "value" | "choices"> {
  readonly value: string;
  /** What the option may be, when that is a closed set. */
  readonly choices?: readonly string[];
}

/** An option that may be given more than once. */
export interface ListOption extends Omit<ValueOption, "many"> {
  readonly many: true;
}

/** By their names as code writes them: `dryRun` of `--dry-run`. A flag is true; an option that may be given more than once is a list. */
export type OptionValues = Readonly<Record<string, string | true | readonly string[] | undefined>>;

/** The word of each argument, by its name; of a rest the words. */
export type ArgumentValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What was given of options that are described so. */
export type Given<Options> = { readonly [Name in keyof Options as Camel<Name>]: GivenOption<Options[Name]> };

type Camel<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name & string;

type GivenOption<Described> = Described extends { readonly many: true }
  ? readonly string[]
  : Described extends { readonly choices: readonly (infer Choice)[] }
    ? Choice | undefined
    : Described extends { readonly value: string }
      ? string | undefined
      : true | undefined;

type GivenArguments<Arguments extends readonly Argument[]> = {
  readonly [Each in Arguments[number] as Each["name"]]: Each extends { readonly takes: "rest" }
    ? readonly string[]
    : Each extends { readonly takes: "optional" }
      ? string | undefined
      : string;
};

interface Described<Options, Arguments extends readonly Argument[]> extends Omit<
  Command,
  "options" | "arguments" | "run"
> {
  readonly arguments?: Arguments;
  readonly options: Options;
  run(options: Given<Options>, io: IO, args: GivenArguments<Arguments>): Promise<ExitCode>;
}

/** A command whose function gets what its options and arguments describe. */
export function command<
  const Options extends Readonly<Record<string, Option>>,
  const Arguments extends readonly Argument[] = readonly [],
>(described: Described<Options, Arguments>): Command {
  return described;
}

/** 0: done. 1: it ran and the answer is no. 2: it could not run, or was called wrongly. */
export type ExitCode = 0 | 1 | 2;

/** A sentence for the person at the terminal; ends the command with exit code 2. */
export class Refusal extends Error {}

/** What comes of `work`; where it throws, what that says is refused, with what is told `before` it. */
export function refusing<Result>(work: () => Result, before = ""): Result {
  try {
    return work();
  } catch (error) {
    throw new Refusal(before + messageOf(error));
  }
}

/** Options that every command has. */
export const commonOptions: { readonly cwd: ValueOption; readonly help: Flag } = {
  cwd: { value: "<dir>", short: "C", summary: "run as if started in this directory" },
  help: { short: "h", summary: "show this help" },
};
