import { messageOf } from "../lib/thrown.ts";
import type { IO } from "./io.ts";

/** A command of `fw` as data. Help, suggestions and docs/commands.md are generated from it. */
export interface Command {
  /** The words that a user types after `fw`, such as `dev` or `gen graph`. */
  readonly name: string;
  /** One sentence without a full stop. */
  readonly summary: string;
  /** The paragraphs of the command's own help. */
  readonly details: readonly string[];
  /** Arguments after the name: required ones first, then optional ones, then a rest argument. None by default. */
  readonly arguments?: readonly Argument[];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly { readonly line: string; readonly says: string }[];
  run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode>;
}

/** Commands under one heading of the help. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** A word after a command's name. */
export interface Argument {
  /** The name in help, without brackets: `email`. */
  readonly name: string;
  /** The number of words: one by default, at most one for `optional`, any number for `rest`. */
  readonly takes?: "optional" | "rest";
  readonly summary: string;
}

export type Option = Flag | ValueOption | ListOption;

/** An option without a value. */
export interface Flag {
  readonly value?: undefined;
  readonly choices?: undefined;
  readonly choiceSummaries?: undefined;
  readonly many?: undefined;
  readonly short?: string;
  readonly summary: string;
}

/** An option with a value; `value` is its placeholder in the help. */
export interface ValueOption extends Omit<Flag, "value" | "choices" | "choiceSummaries"> {
  readonly value: string;
  /** The only accepted values; absent if any value is accepted. */
  readonly choices?: readonly string[];
  /** A sentence for each choice, which help and refusals list. */
  readonly choiceSummaries?: Readonly<Record<string, string>>;
}

export interface ListOption extends Omit<ValueOption, "many"> {
  readonly many: true;
}

/** Option values by camel-case name (`dryRun` for `--dry-run`): true for a flag, a list for a repeatable option. */
export type OptionValues = Readonly<Record<string, string | true | readonly string[] | undefined>>;

/** Argument values by name; a rest argument is a list. */
export type ArgumentValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The parsed values of options. Their types follow from the options' descriptions. */
export type ParsedOptions<Options> = { readonly [Name in keyof Options as Camel<Name>]: ParsedOption<Options[Name]> };

type Camel<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name & string;

type ParsedOption<Described> = Described extends { readonly many: true }
  ? readonly string[]
  : Described extends { readonly choices: readonly (infer Choice)[] }
    ? Choice | undefined
    : Described extends { readonly value: string }
      ? string | undefined
      : true | undefined;

type ParsedArguments<Arguments extends readonly Argument[]> = {
  readonly [Each in Arguments[number] as Each["name"]]: Each extends { readonly takes: "rest" }
    ? readonly string[]
    : Each extends { readonly takes: "optional" }
      ? string | undefined
      : string;
};

interface CommandDescription<Options, Arguments extends readonly Argument[]> extends Omit<
  Command,
  "options" | "arguments" | "run"
> {
  readonly arguments?: Arguments;
  readonly options: Options;
  run(options: ParsedOptions<Options>, io: IO, args: ParsedArguments<Arguments>): Promise<ExitCode>;
}

/** Declares a command, and derives the parameter types of its `run` from its options and arguments. */
export function command<
  const Options extends Readonly<Record<string, Option>>,
  const Arguments extends readonly Argument[] = readonly [],
>(description: CommandDescription<Options, Arguments>): Command {
  return description;
}

/**
 * 0: done. 1: the command found problems, or the user did not confirm. 2: it could not run, or its arguments were
 * wrong.
 */
export type ExitCode = 0 | 1 | 2;

/** A message for the user that ends the command with exit code 2. */
export class Refusal extends Error {}

/** Runs `work`. Turns an error into a Refusal, whose message starts with `prefix`. */
export function refuseOnError<Result>(work: () => Result, prefix = ""): Result {
  try {
    return work();
  } catch (error) {
    throw new Refusal(prefix + messageOf(error));
  }
}

export const commonOptions: { readonly cwd: ValueOption; readonly help: Flag } = {
  cwd: { value: "<dir>", short: "C", summary: "run as if started in this directory" },
  help: { short: "h", summary: "show this help" },
};
