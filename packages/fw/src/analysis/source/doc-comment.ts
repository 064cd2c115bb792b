/** What may stand between a doc comment and the name that it is about. */
const words =
  /(?:\b(?:export|default|declare|abstract|const|let|interface|type|class|enum|public|readonly|get|static)\s+)+$/;
/** Characters of all these words together. */
const longestWords = 120;
/** A comment begins its line, or follows what ends the declaration before. */
const opening = /(?:^|[\n\r\u2028\u2029{;,(|&=])[ \t]*$/;

/** The text of the doc comment before a name that begins at `start`, without its stars; undefined where there is none. */
export function docBefore(text: string, start: number): string | undefined {
  const gap = blanksEnd(text, start);
  const end = gap < start && isLetter(text.charCodeAt(gap - 1)) ? blanksEnd(text, wordsBegin(text, start)) : gap;
  if (!text.endsWith("*/", end)) return undefined;
  const begin = beginOf(text, end - 2);
  return begin === undefined ? undefined : cleaned(text.slice(begin + 3, end - 2));
}

/** Where the blanks before a place begin. */
function blanksEnd(text: string, start: number): number {
  let end = start;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

function wordsBegin(text: string, start: number): number {
  const before = text.slice(Math.max(0, start - longestWords), start);
  return start - (words.exec(before)?.[0].length ?? 0);
}

/** All of the words end in one of these. */
function isLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0xa0 && /\s/.test(String.fromCharCode(code)));
}

/** Where the doc comment that closes at `close` opens: the first of its marks that can be one, as its text may hold others. */
function beginOf(text: string, close: number): number | undefined {
  const previous = text.lastIndexOf("*/", close - 1);
  for (let at = text.indexOf("/**", previous + 1); at !== -1 && at + 3 <= close; at = text.indexOf("/**", at + 1)) {
    const line = text.slice(Math.max(previous === -1 ? 0 : previous + 2, at - longestWords), at);
    if (opening.test(line) || line.trim() === "") return at;
  }
  return undefined;
}

function cleaned(comment: string): string | undefined {
  const lines = comment.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.replace(/^\s*\*? ?/, "").trimEnd());
  while (lines[0]?.trim() === "") lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
  return lines.length === 0 ? undefined : lines.join("\n").trim();
}
