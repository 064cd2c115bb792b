import { join } from "node:path";
import { parseEnv } from "node:util";
import { readText } from "../lib/read-file.ts";

/** The file of `name=value` lines next to package.json. */
export const envFile = ".env";

/** Reads the variables in `.env` that the shell does not set, because the shell takes precedence. */
export function readEnv(root: string, shell: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const added: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(readText(join(root, envFile)) ?? ""))) {
    if (value !== undefined && shell[name] === undefined) added[name] = value;
  }
  return added;
}

/** Reports each invalid line of `.env` by its line number, without its text, which may be a secret. */
export function envProblems(root: string): string[] {
  let quote: string | undefined;
  return (readText(join(root, envFile)) ?? "").split(/\r\n|\r|\n/).flatMap((line, index) => {
    const openQuote = quote;
    quote = quoteAfter(line, openQuote);
    if (openQuote !== undefined || isAssignment(line)) return [];
    return [`${envFile}:${index + 1}: the line is not name=value; correct it, or put # before it`];
  });
}

/** True for an assignment, a comment or an empty line. */
function isAssignment(line: string): boolean {
  return /^\s*(?:#.*|(?:export\s+)?[^\s=#]+\s*=.*)?$/.test(line);
}

/**
 * Returns the quotation mark that is still open after a line, so that the value continues on the next line; undefined
 * if none is.
 */
function quoteAfter(line: string, open: string | undefined): string | undefined {
  if (open !== undefined) return line.includes(open) ? undefined : open;
  const [, quote, value = ""] = /^\s*(?:export\s+)?[^\s=#]+\s*=\s*(["'`])(.*)$/.exec(line) ?? [];
  return quote === undefined || value.includes(quote) ? undefined : quote;
}
