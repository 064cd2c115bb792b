import type { MarkdownIt, MarkdownItOptions, StateBlock, StateCore, Token } from "markdown-it";

/** CommonMark with tables, strikethrough and bare links. HTML passes through, because the sanitizer runs later. */
export const markdownOptions: MarkdownItOptions = { html: true, linkify: true, maxNesting: 60 };

/** Adds task lists, aligns table cells without styles, and limits the size of tables. */
export function useRules(markdown: MarkdownIt): void {
  markdown.core.ruler.push("task-lists", taskLists);
  markdown.core.ruler.push("table-alignment", tableAlignment);
  boundTables(markdown);
}

const task = /^\[([ xX])\](?=\s)/;

function taskLists({ tokens, Token }: StateCore): void {
  for (let i = 2; i < tokens.length; i++) {
    const [item, paragraph, inline] = tokens.slice(i - 2, i + 1) as [Token, Token, Token];
    if (item.type !== "list_item_open" || paragraph.type !== "paragraph_open" || inline.type !== "inline") continue;
    const first = inline.children?.[0];
    const mark = first?.type === "text" ? task.exec(first.content) : null;
    if (first === undefined || mark === null) continue;
    first.content = first.content.slice(mark[0].length);
    item.attrJoin("class", "task-list-item");
    const box = new Token("html_inline", "", 0);
    box.content = `<input type="checkbox" disabled${mark[1] === " " ? "" : " checked"}>`;
    inline.children?.unshift(box);
  }
}

/** Replaces the alignment styles of table cells with `align`, so the sanitizer can drop all style attributes. */
function tableAlignment({ tokens }: StateCore): void {
  for (const token of tokens) {
    if (token.type !== "th_open" && token.type !== "td_open") continue;
    const aligned = /^text-align:(\w+)$/.exec(String(token.attrGet("style") ?? ""));
    if (aligned !== null) token.attrs = [["align", aligned[1] ?? ""]];
  }
}

/** The maximum number of cells that the parser may add to the short rows of a table. */
const spareCells = 4096;

/** Keeps a table as text if its short rows lack too many cells, because a short source could produce a huge table. */
function boundTables({ block: { ruler } }: MarkdownIt): void {
  const table = ruler.getRules("")[ruler.__find__("table")];
  if (table === undefined) return;
  /** The next line where a table may start, by document. */
  const refusedUntil = new WeakMap<object, number>();
  const limitedTable: typeof table = (state, start, end, silent) => {
    const document = state.env as object;
    if (start < (refusedUntil.get(document) ?? 0) || !table(state, start, end, true)) return false;
    if (silent) return true;
    const limitLine = lineOfTooManyCells(state, start, end);
    if (limitLine === undefined) return table(state, start, end, false);
    refusedUntil.set(document, limitLine);
    return false;
  };
  ruler.at("table", limitedTable, { alt: ["paragraph", "reference"] });
}

function lineOfTooManyCells(state: StateBlock, start: number, end: number): number | undefined {
  const width = pipes(state, start + 1);
  let added = 0;
  for (let line = start + 2; line < end && !state.isEmpty(line); line++) {
    added += Math.max(0, width - pipes(state, line));
    if (added > spareCells) return line;
  }
  return undefined;
}

function pipes({ src, bMarks, eMarks }: StateBlock, line: number): number {
  let count = 1;
  for (let at = bMarks[line] ?? 0; at < (eMarks[line] ?? 0); at++) if (src.charCodeAt(at) === 0x7c) count++;
  return count;
}
