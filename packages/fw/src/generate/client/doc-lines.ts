import { visible } from "../../lib/visible.ts";

/** Lines of a doc comment about what follows it, a paragraph each; none where nothing is said. */
export function docLines(paragraphs: readonly (string | undefined)[], indent: string): readonly string[] {
  const lines = paragraphs
    .filter((paragraph) => paragraph !== undefined && paragraph !== "")
    .flatMap((paragraph, index) => [...(index === 0 ? [] : [""]), ...(paragraph ?? "").split("\n").map(commentText)]);
  const [only, ...more] = lines;
  if (only === undefined) return [];
  if (more.length === 0) return [`${indent}/** ${only} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}`), `${indent} */`];
}

/** Text that neither ends a comment nor its line. */
export function commentText(line: string): string {
  return visible(line).replaceAll("*/", "*\\/").trimEnd();
}
