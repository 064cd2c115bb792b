import { join } from "node:path";
import { parseEnv } from "node:util";
import { readText } from "../lib/read-file.ts";

/** The file of `name=value` lines beside package.json. */
export const envFile = ".env";

/** What `.env` adds to the environment: what the shell sets already wins. */
export function readEnv(root: string, shell: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const added: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(readText(join(root, envFile)) ?? ""))) {
    if (value !== undefined && shell[name] === undefined) added[name] = value;
  }
  return added;
}

/** What is wrong with the lines of `.env`, a sentence each, with the line. */
export function envProblems(root: string): string[] {
  let quote: string | undefined;
  return (readText(join(root, envFile)) ?? "").split(/\r\n|\r|\n/).flatMap((line, index) => {
    const opened = quote;
    quote = quoteAfter(line, opened);
    if (opened !== undefined || isAssignment(line)) return [];
    return [`${envFile}:${index + 1}: ${JSON.stringify(shortened(line))} is no name=value`];
  });
}

/** An assignment, or a line that says nothing. */
function isAssignment(line: string): boolean {
  return /^\s*(?:#.*|(?:export\s+)?[^\s=#]+\s*=.*)?$/.test(line);
}

/** The quotation mark that is still open after a line: its value goes on in the next one. */
function quoteAfter(line: string, open: string | undefined): string | undefined {
  if (open !== undefined) return line.includes(open) ? undefined : open;
  const [, quote, value = ""] = /^\s*(?:export\s+)?[^\s=#]+\s*=\s*(["'`])(.*)$/.exec(line) ?? [];
  return quote === undefined || value.includes(quote) ? undefined : quote;
}

/** What stands before the value, which may be secret. */
function shortened(line: string): string {
  return (/^\s*\S{0,20}/.exec(line)?.[0] ?? "").trim();
}
