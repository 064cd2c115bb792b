import type { Problem } from "../preflight/problem.ts";

/** Problems as golden files have them. */
export function problemLines(problems: readonly Problem[]): string {
  const texts = problems.map(({ what, at, todo }) =>
    [`${at === undefined ? "" : `${at}: `}${what}`, ...todo.map((line) => `    ${line}`)].join("\n"),
  );
  return `${texts.join("\n\n")}\n`;
}
