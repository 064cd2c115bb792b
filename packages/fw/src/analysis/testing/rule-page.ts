/** An example on a rule's page. */
export interface Example {
  /** The heading above it. */
  readonly section: "Refused" | "Accepted";
  /** Files by path, in the format of `writeApp`. */
  readonly app: string;
  /** The expected output of the analysis in the page. */
  readonly printed: string;
  /** Offsets of the output in the page; absent if there is no output. */
  readonly at: { readonly start: number; readonly end: number } | undefined;
  /** The change that follows the hints; undefined for accepted examples. */
  readonly fix: Fix | undefined;
}

/** A `diff` block of a page, applied to its example. */
export interface Fix {
  /** Added lines. */
  readonly added: string;
  /** The example after the change, in the format of `writeApp`. */
  readonly app: string;
}

const fence = /^```(ts|text|diff)\n(.*?)^```$/gms;

/** Returns the examples of a page: each `ts` block, with the `text` and `diff` blocks after it. */
export function examplesOf(page: string): readonly Example[] {
  const accepted = page.indexOf("\n## Accepted\n");
  const examples: Example[] = [];
  let source = "";
  for (const match of page.matchAll(fence)) {
    const [whole, language, content = ""] = match;
    const start = match.index + whole.indexOf("\n") + 1;
    if (language === "ts") {
      const section = accepted >= 0 && match.index > accepted ? "Accepted" : "Refused";
      examples.push({ section, app: appOf(content), printed: "", at: undefined, fix: undefined });
      source = content;
      continue;
    }
    const last = examples.pop();
    if (!last) continue;
    if (language === "diff") examples.push({ ...last, fix: applyDiff(source, content) });
    else examples.push({ ...last, printed: content, at: { start, end: start + content.length } });
  }
  return examples;
}

/** Returns the page with the output of its examples replaced, in order. */
export function withPrinted(page: string, examples: readonly Example[], printed: readonly string[]): string {
  let text = page;
  for (const [index, { at }] of [...examples.entries()].toReversed()) {
    if (at) text = text.slice(0, at.start) + (printed[index] ?? "") + text.slice(at.end);
  }
  return text;
}

/** Applies a diff without line numbers: removed and unchanged lines match the next equal lines of the source. */
function applyDiff(source: string, diff: string): Fix {
  const rest = source.split("\n");
  const lines: string[] = [];
  const added: string[] = [];
  for (const line of diff.split("\n").slice(0, -1)) {
    const text = line.slice(1);
    if (line.startsWith("+")) {
      lines.push(text);
      added.push(text);
      continue;
    }
    const index = rest.indexOf(text);
    if (index < 0) throw new Error(`the example has no line for the diff line ${JSON.stringify(line)}`);
    const skipped = rest.splice(0, index + 1);
    lines.push(...(line.startsWith("-") ? skipped.slice(0, -1) : skipped));
  }
  return { added: added.join("\n"), app: appOf([...lines, ...rest].join("\n")) };
}

/** Parses a block: one file, or several, each below a comment with its path. */
function appOf(content: string): string {
  const marked = content.replaceAll(/^\/\/ ([\w./-]+\.[a-z]+)$/gm, "-- $1 --");
  return marked.startsWith("-- ") ? marked : `-- shop/shop.ts --\n${marked}`;
}
