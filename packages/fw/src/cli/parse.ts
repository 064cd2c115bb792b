import { parseArgs } from "node:util";
import { listOf, nearest } from "../lib/suggest.ts";
import { commonOptions, Refusal, type Command, type Option, type OptionValues } from "./command.ts";

/** The command that the words at the front of `argv` name, and what follows them. */
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
  const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => name);
  if (group.length > 0 && words.length === 1) {
    return new Refusal(`"fw ${words[0]}" needs one more word: ${listOf(group.map((name) => `fw ${name}`))}`);
  }
  const known = commands.map(({ name }) => name);
  const meant = nearest(words.join(" "), known) ?? nearest(words[0] ?? "", known);
  const suggestion = meant === undefined ? `the commands are ${listOf(known, "and")}` : `did you mean "fw ${meant}"?`;
  return new Refusal(`there is no command "fw ${words.join(" ")}"; ${suggestion}`);
}

/** Reads a command's options, or refuses with what to type instead. */
export function parseOptions(command: Command, argv: readonly string[]): OptionValues {
  const known = { ...commonOptions, ...command.options };
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(Object.entries(known).map(([name, option]) => [name, parserOption(option)])),
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | true> = {};
  for (const token of tokens) {
    if (token.kind === "positional") throw new Refusal(`"fw ${command.name}" does not take "${token.value}"`);
    if (token.kind !== "option") continue;
    values[token.name] = checkedValue(command, known, token.name, token.rawName, token.value);
  }
  return values;
}

function parserOption({ value, short }: Option): { type: "string" | "boolean"; short?: string } {
  return { type: value === undefined ? "boolean" : "string", ...(short !== undefined && { short }) };
}

function checkedValue(
  command: Command,
  known: Readonly<Record<string, Option>>,
  name: string,
  typed: string,
  value: string | undefined,
): string | true {
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) {
    const meant = nearest(name, Object.keys(known));
    const suggestion = meant === undefined ? `see "fw ${command.name} --help"` : `did you mean "--${meant}"?`;
    throw new Refusal(`"fw ${command.name}" has no option "${typed}"; ${suggestion}`);
  }
  if (option.value === undefined) {
    if (value !== undefined) throw new Refusal(`"--${name}" takes no value`);
    return true;
  }
  if (value === undefined || value === "") throw new Refusal(`"--${name}" needs a value: --${name} ${option.value}`);
  if (option.choices && !option.choices.includes(value)) {
    const meant = nearest(value, option.choices);
    const suggestion = meant === undefined ? "" : `; did you mean "${meant}"?`;
    throw new Refusal(`"--${name}" is ${listOf(option.choices)}, not "${value}"${suggestion}`);
  }
  return value;
}

/** The text of an option that takes a value. */
export function textOption(values: OptionValues, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}
