import { columns } from "../lib/columns.ts";
import { commonOptions, type Argument, type Command, type CommandGroup, type Option } from "./command.ts";
import { placeholder, usage } from "./parse.ts";

export const helpColumns = 100;

/** Formats the commands by group, for `fw` and `fw --help`. */
export function overview(groups: readonly CommandGroup[], version: string): string {
  const width = Math.max(...groups.flatMap(({ commands }) => commands.map(({ name }) => name.length)));
  const lists = groups.map(({ title, commands }) => {
    return `${title}:\n${table(commands.map(({ name, summary }) => [name.padEnd(width), summary]))}`;
  });
  return `fw ${version}: a TypeScript application framework

Usage: fw <command> [options]

${lists.join("\n\n")}

Options:
${table([
  ["-h, --help", "show this help, or that of a command: fw <command> --help"],
  ["--version", "print the version"],
  ["-C, --cwd <dir>", "run as if started in this directory"],
])}
`;
}

export function commandHelp(command: Command): string {
  const { name, summary, details, examples } = command;
  const args = argumentRows(command.arguments);
  return `${[
    `fw ${name}: ${summary}`,
    `Usage: ${usage(command)} [options]`,
    ...details.map((paragraph) => wrap(paragraph, helpColumns)),
    ...(args.length > 0 ? [`Arguments:\n${table(args)}`] : []),
    `Options:\n${table(optionRows({ ...command.options, ...commonOptions }))}`,
    `Examples:\n${exampleLines(examples)}`,
  ].join("\n\n")}\n`;
}

/** Generates docs/commands.md. */
export function commandsPage(commands: readonly Command[]): string {
  const intro = `# Commands

\`fw\` finds the application it works on: the nearest directory with a package.json, from the current one upwards
(\`-C <dir>\` starts elsewhere). Every command has \`--help\`.

Exit codes: 0 for success, 1 if there are problems or you do not confirm, 2 if the command could not run or its
arguments are wrong.
`;
  return `${intro}\n${commands.map(section).join("\n")}`;
}

function section(command: Command): string {
  const { name, summary, details, examples } = command;
  const args = argumentRows(command.arguments);
  const options = optionRows({ ...command.options, ...commonOptions });
  const lines = examples.map(({ line, says }) => `${line}    # ${says}`);
  return [
    `## fw ${name}\n`,
    `${capital(summary)}.\n`,
    ...details.map((paragraph) => `${wrap(paragraph, 116)}\n`),
    "```sh",
    ...lines,
    "```\n",
    ...(args.length > 0 ? [markdownTable("argument", args)] : []),
    markdownTable("option", options),
  ].join("\n");
}

function markdownTable(head: string, rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(
    ([left, says]) => `| \`${left.trim().replaceAll("|", "\\|")}\` | ${says.replaceAll("|", "\\|")} |`,
  );
  return [`| ${head} | meaning |`, "|---|---|", ...lines, ""].join("\n");
}

function argumentRows(args: readonly Argument[] = []): (readonly [string, string])[] {
  return args.map((argument) => [placeholder(argument), argument.summary]);
}

function optionRows(options: Readonly<Record<string, Option>>): (readonly [string, string])[] {
  return Object.entries(options).flatMap(([name, option]) => {
    const short = option.short === undefined ? "" : `-${option.short}, `;
    const value = option.value === undefined ? "" : ` ${option.value}`;
    const choices = Object.entries(option.choiceSummaries ?? {});
    return [
      [`${short}--${name}${value}`, option.summary],
      ...choices.map(([choice, summary]): [string, string] => [`  ${choice}`, summary]),
    ] as const;
  });
}

/** Formats rows in two columns and wraps the second one. */
function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  const margin = `\n${" ".repeat(width + 4)}`;
  const lines = rows.map(([left, right]) => {
    const wrapped = wrap(right, helpColumns - width - 4).replaceAll("\n", margin);
    return `  ${left.padEnd(width)}  ${wrapped}`;
  });
  return lines.join("\n");
}

/** Formats examples in two columns, or each below its description if the columns are too wide. */
function exampleLines(examples: Command["examples"]): string {
  const lines = columns(examples.map(({ line, says }) => [line, says])).map((line) => `  ${line}`);
  if (lines.every(({ length }) => length <= helpColumns)) return lines.join("\n");
  return examples.map(({ line, says }) => `  # ${says}\n  ${line}`).join("\n");
}

function wrap(text: string, width: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}

function capital(sentence: string): string {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}
