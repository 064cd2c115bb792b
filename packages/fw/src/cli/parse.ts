import { parseArgs } from "node:util";
import { columns } from "../lib/columns.ts";
import { listOf, nearest, suggestion } from "../lib/suggest.ts";
import {
  commonOptions,
  Refusal,
  type Argument,
  type ArgumentValues,
  type Command,
  type Option,
  type OptionValues,
} from "./command.ts";

/** Finds the command that the first words of `argv` name. Returns it with the remaining words, or throws a Refusal. */
export function findCommand(
  argv: readonly string[],
  commands: readonly Command[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const words = argv.slice(0, 3).filter((_, i) => argv.slice(0, i + 1).every((word) => !word.startsWith("-")));
  for (let count = words.length; count > 0; count--) {
    const command = commands.find(({ name }) => name === words.slice(0, count).join(" "));
    if (command) return { command, rest: argv.slice(count) };
  }
  throw unknownCommand(words, commands);
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): Refusal {
  const typed = words.join(" ");
  const group = commands.filter(({ name }) => words.length > 0 && name.startsWith(`${typed} `)).map(({ name }) => name);
  if (group.length > 0) {
    const more = group.every((name) => name.split(" ").length === words.length + 1) ? "one more word" : "more words";
    return new Refusal(`"fw ${typed}" needs ${more}: ${listOf(group.map((name) => `fw ${name}`))}`);
  }
  const names = commands.map(({ name }) => name);
  const [nearestName] = words.flatMap((_, i) => nearestCommand(words.slice(0, words.length - i), names) ?? []);
  const suggestion = nearestName === undefined ? `"fw --help" lists the commands` : `did you mean "fw ${nearestName}"?`;
  return new Refusal(`there is no command "fw ${typed}"; ${suggestion}`);
}

/**
 * Finds the command whose whole name or first words are closest: `gen clinet` suggests `gen client ts`. Undefined if
 * none is similar.
 */
function nearestCommand(words: readonly string[], names: readonly string[]): string | undefined {
  const typed = words.join(" ");
  const byBeginning = new Map(
    names.toReversed().map((name) => [name.split(" ").slice(0, words.length).join(" "), name] as const),
  );
  return byBeginning.get(nearest(typed, [...names, ...byBeginning.keys()]) ?? "") ?? nearest(typed, names);
}

/** The words after a command's name. */
interface Typed {
  readonly options: OptionValues;
  readonly words: readonly string[];
}

/**
 * Separates the words after a command's name into options and other words. Refuses unknown options, with a suggestion,
 * and invalid values.
 */
export function parseTyped(command: Command, argv: readonly string[]): Typed {
  const available: Readonly<Record<string, Option>> = { ...commonOptions, ...command.options };
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(Object.entries(available).map(([name, option]) => [name, parserOption(option)])),
    strict: false,
    tokens: true,
  });
  const options: Record<string, string | true> = {};
  const lists = emptyLists(available);
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const value = checkedValue(command, available, token);
    const name = camel(token.name);
    if (value !== true && lists[name]) lists[name].push(value);
    else options[name] = value;
  }
  return { options: { ...options, ...lists }, words };
}

/** Creates an empty list for each repeatable option. */
function emptyLists(options: Readonly<Record<string, Option>>): Record<string, string[]> {
  const many = Object.entries(options).filter(([, option]) => option.many);
  return Object.fromEntries(many.map(([name]) => [camel(name), []]));
}

/** Assigns words to a command's arguments in order. Refuses missing, empty and surplus ones. */
export function parseArguments(command: Command, words: readonly string[]): ArgumentValues {
  const remaining = [...words];
  const values: Record<string, string | readonly string[] | undefined> = {};
  for (const argument of command.arguments ?? []) {
    const argumentWords = remaining.splice(0, argument.takes === "rest" ? remaining.length : 1);
    if (argumentWords.length === 0 && argument.takes === undefined)
      throw new Refusal(`"fw ${command.name}" needs <${argument.name}>: ${usage(command)}`);
    if (argumentWords.includes("")) throw new Refusal(`<${argument.name}> of "fw ${command.name}" is empty`);
    values[argument.name] = argument.takes === "rest" ? argumentWords : argumentWords[0];
  }
  const [extra] = remaining;
  if (extra !== undefined) throw new Refusal(`"fw ${command.name}" does not take "${extra}"`);
  return values;
}

/** Formats the usage line of a command, without its options. */
export function usage(command: Command): string {
  return ["fw", command.name, ...(command.arguments ?? []).map(placeholder)].join(" ");
}

export function placeholder({ name, takes }: Argument): string {
  if (takes === "rest") return `[<${name}> ...]`;
  return takes === "optional" ? `[<${name}>]` : `<${name}>`;
}

function parserOption({ value, short }: Option): { type: "string" | "boolean"; short?: string } {
  return { type: value === undefined ? "boolean" : "string", ...(short !== undefined && { short }) };
}

/** Converts an option's name to camel case, such as `dryRun` for `dry-run`. */
function camel(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function checkedValue(
  command: Command,
  available: Readonly<Record<string, Option>>,
  { name, rawName, value }: { readonly name: string; readonly rawName: string; readonly value: string | undefined },
): string | true {
  const option = Object.hasOwn(available, name) ? available[name] : undefined;
  if (option === undefined) {
    const nearestName = nearest(name, Object.keys(available));
    const suggestion =
      nearestName === undefined ? `see "fw ${command.name} --help"` : `did you mean "--${nearestName}"?`;
    throw new Refusal(`"fw ${command.name}" has no option "${rawName}"; ${suggestion}`);
  }
  if (option.value === undefined) {
    if (value !== undefined) throw new Refusal(`"--${name}" takes no value`);
    return true;
  }
  if (value === undefined || value === "")
    throw new Refusal(`"--${name}" needs a value: --${name} ${option.value}${choiceLines(option)}`);
  if (option.choices && !option.choices.includes(value)) {
    const { choices } = option;
    throw new Refusal(
      `"--${name}" must be ${listOf(choices)}, not "${value}"${suggestion(value, choices)}${choiceLines(option)}`,
    );
  }
  return value;
}

/** Lists the choices of an option with descriptions, one per line. */
function choiceLines({ choiceSummaries = {} }: Option): string {
  return columns(Object.entries(choiceSummaries))
    .map((line) => `\n  ${line}`)
    .join("");
}
