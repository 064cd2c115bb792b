/** One example of a rule's page. */
export interface Example {
  /** The heading it stands under. */
  readonly section: "Refused" | "Accepted";
  /** Files by path, in the form that `writeApp` reads. */
  readonly app: string;
  /** The expected output of the analysis in the page. */
  readonly printed: string;
  /** Offsets of the printed part in the page; none where nothing is printed. */
  readonly at: { readonly start: number; readonly end: number } | undefined;
}

const fence = /^```(ts|text)\n(.*?)^```$/gms;

/** The examples of a page: its `ts` blocks under Refused, each with the `text` block after it, and under Accepted. */
export function examplesOf(page: string): readonly Example[] {
  const accepted = page.indexOf("\n## Accepted\n");
  const examples: Example[] = [];
  for (const match of page.matchAll(fence)) {
    const [whole, language, content = ""] = match;
    const start = match.index + whole.indexOf("\n") + 1;
    if (language === "ts") {
      const section = accepted >= 0 && match.index > accepted ? "Accepted" : "Refused";
      examples.push({ section, app: appOf(content), printed: "", at: undefined });
    } else {
      const last = examples.pop();
      if (last) examples.push({ ...last, printed: content, at: { start, end: start + content.length } });
    }
  }
  return examples;
}

/** The page with the printed parts of its examples replaced, in their order. */
export function withPrinted(page: string, examples: readonly Example[], printed: readonly string[]): string {
  let text = page;
  for (const [index, { at }] of [...examples.entries()].toReversed()) {
    if (at) text = text.slice(0, at.start) + (printed[index] ?? "") + text.slice(at.end);
  }
  return text;
}

/** A block is one file, or several, each under a comment that is its path. */
function appOf(content: string): string {
  const marked = content.replaceAll(/^\/\/ ([\w./-]+\.[a-z]+)$/gm, "-- $1 --");
  return marked.startsWith("-- ") ? marked : `-- shop/shop.ts --\n${marked}`;
}
