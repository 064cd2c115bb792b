/** Keywords that may appear between a doc comment and the name it documents. */
const words =
  /(?:\b(?:export|default|declare|abstract|const|let|interface|type|class|enum|public|readonly|get|static)\s+)+$/;
/** The maximum number of characters to look back for these keywords, or for the text before a doc comment. */
const longestWords = 120;
/** The text before a doc comment: the start of its line, or the end of another declaration. */
const opening = /(?:^|[\n\r\u2028\u2029{;,(|&=])[ \t]*$/;

/** Returns the doc comment before the name at `start`, without stars; undefined if there is none. */
export function docBefore(text: string, start: number): string | undefined {
  const gap = blanksEnd(text, start);
  const end = gap < start && isLetter(text.charCodeAt(gap - 1)) ? blanksEnd(text, wordsBegin(text, start)) : gap;
  if (!text.endsWith("*/", end)) return undefined;
  const begin = openingBefore(text, end - 2);
  return begin === undefined ? undefined : stripStars(text.slice(begin + 3, end - 2));
}

/** Skips whitespace backwards. */
function blanksEnd(text: string, start: number): number {
  let end = start;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

function wordsBegin(text: string, start: number): number {
  const before = text.slice(Math.max(0, start - longestWords), start);
  return start - (words.exec(before)?.[0].length ?? 0);
}

/** True for a lowercase letter. Each keyword in `words` ends with one. */
function isLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0xa0 && /\s/.test(String.fromCharCode(code)));
}

/**
 * Finds the start of the doc comment that ends at `close`: the earliest possible one, because a comment may contain
 * another opening. Undefined if there is none.
 */
function openingBefore(text: string, close: number): number | undefined {
  const previous = text.lastIndexOf("*/", close - 1);
  for (let at = text.indexOf("/**", previous + 1); at !== -1 && at + 3 <= close; at = text.indexOf("/**", at + 1)) {
    const line = text.slice(Math.max(previous === -1 ? 0 : previous + 2, at - longestWords), at);
    if (opening.test(line) || line.trim() === "") return at;
  }
  return undefined;
}

function stripStars(comment: string): string | undefined {
  const lines = comment.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.replace(/^\s*\*? ?/, "").trimEnd());
  while (lines[0]?.trim() === "") lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
  return lines.length === 0 ? undefined : lines.join("\n").trim();
}
