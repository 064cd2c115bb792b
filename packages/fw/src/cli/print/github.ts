import type { Diagnostic } from "../../model/diagnostic.ts";
import { visible } from "../../lib/visible.ts";

/** Formats diagnostics as workflow commands, one per line, which GitHub Actions shows as annotations. */
export function printGithub(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((diagnostic) => `${command(diagnostic)}\n`).join("");
}

function command(diagnostic: Diagnostic): string {
  const properties = Object.entries(place(diagnostic)).map(([name, value]) => `${name}=${property(visible(value))}`);
  return `::${diagnostic.severity ?? "error"} ${properties.join(",")}::${data(text(diagnostic))}`;
}

/** Returns the location of an annotation. GitHub rejects columns for several lines. */
function place({ at, code }: Diagnostic): Record<string, string> {
  const lines = { file: at.path, line: `${at.line}`, endLine: `${at.endLine}` };
  if (at.line !== at.endLine) return { ...lines, title: code };
  return { ...lines, col: `${at.column}`, endColumn: `${at.endColumn}`, title: code };
}

function text({ message, code, hint, related = [] }: Diagnostic): string {
  const places = related.map(({ at, message }) => `${at.path}:${at.line}:${at.column}: ${message}`);
  const lines = [`${message} (${code})`, ...(hint === undefined ? [] : [`hint: ${hint}`]), ...places];
  return lines.map(visible).join("\n");
}

function data(value: string): string {
  return value.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(value: string): string {
  return data(value).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
