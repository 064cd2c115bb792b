import type { Problem } from "../preflight/problem.ts";

/** Formats problems for golden files. */
export function problemLines(problems: readonly Problem[]): string {
  const texts = problems.map(({ what, at, todo }) =>
    [`${at === undefined ? "" : `${at}: `}${what}`, ...todo.map((line) => `    ${line}`)].join("\n"),
  );
  return `${texts.join("\n\n")}\n`;
}
