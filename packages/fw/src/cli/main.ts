import { statSync } from "node:fs";
import { resolve } from "node:path";
import { checkerFailureOf } from "../lib/checker-failure.ts";
import { DamagedFile } from "../lib/own-file.ts";
import { messageOf } from "../lib/thrown.ts";
import { Refusal, type Command, type ExitCode } from "./command.ts";
import { commandGroups, commands } from "./commands/index.ts";
import { commandHelp, overview } from "./help.ts";
import type { IO } from "./io.ts";
import { findCommand, parseArguments, parseTyped } from "./parse.ts";
import { version } from "./version.ts";

/** Runs `fw` with `argv` (without node and the script) and returns its exit code. */
export async function main(argv: readonly string[], io: IO): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    const failure = checkerFailureOf(error);
    if (failure === undefined && !(error instanceof Refusal || error instanceof DamagedFile)) throw error;
    io.progress.end();
    io.err.write(`fw: ${failure ?? messageOf(error)}
`);
    return failure === undefined ? 2 : 1;
  } finally {
    io.progress.end();
  }
}

async function dispatch(argv: readonly string[], io: IO): Promise<ExitCode> {
  const [first, ...rest] = argv;
  if (first === undefined || first === "--help" || first === "-h") return print(io, overview(commandGroups, version()));
  if (first === "--version") return print(io, `${version()}\n`);
  if (first === "-C" || first === "--cwd") return dispatch(rest.slice(1), inside(io, rest[0]));
  if (first.startsWith("--cwd=")) return dispatch(rest, inside(io, first.slice("--cwd=".length)));
  if (first === "help") return rest.length === 0 ? dispatch([], io) : help(findCommand(rest, commands).command, io);
  if (first.startsWith("-")) throw new Refusal(`"${first}" must follow a command: fw <command> ${first}`);

  const match = findCommand(argv, commands);
  const { options, words } = parseTyped(match.command, match.rest);
  if (options.help) return help(match.command, io);
  const args = parseArguments(match.command, words);
  const { cwd } = options;
  return match.command.run(options, typeof cwd === "string" ? inside(io, cwd) : io, args);
}

function help(command: Command, io: IO): ExitCode {
  return print(io, commandHelp(command));
}

function print(io: IO, text: string): ExitCode {
  io.out.write(text);
  return 0;
}

function inside(io: IO, dir: string | undefined): IO {
  if (dir === undefined || dir === "") throw new Refusal(`"--cwd" needs a value: --cwd <dir>`);
  const cwd = resolve(io.cwd, dir);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) throw new Refusal(`${cwd} is not a directory`);
  return { ...io, cwd };
}
