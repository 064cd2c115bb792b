import { visible } from "../../lib/visible.ts";

/** Formats a doc comment with one paragraph per argument; empty without text. */
export function docLines(paragraphs: readonly (string | undefined)[], indent: string): readonly string[] {
  const lines = paragraphs
    .filter((paragraph) => paragraph !== undefined && paragraph !== "")
    .flatMap((paragraph, index) => [...(index === 0 ? [] : [""]), ...(paragraph ?? "").split("\n").map(commentText)]);
  const [only, ...more] = lines;
  if (only === undefined) return [];
  if (more.length === 0) return [`${indent}/** ${only} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}`), `${indent} */`];
}

export function commentText(line: string): string {
  return visible(line).replaceAll("*/", "*\\/").trimEnd();
}
