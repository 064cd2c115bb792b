import { dirname, join, relative } from "node:path";

const fence = /^(`{3,})(\w*)[^\n]*\n(.*?)^\1[ \t]*$/gms;

/** Returns the fenced code blocks of a page. */
function blocksOf(page: string): { readonly language: string; readonly text: string }[] {
  return [...page.matchAll(fence)].map(([, , language = "", text = ""]) => ({ language, text }));
}

/** Returns the files that code blocks show under their names: `// path` in TypeScript, `<!-- path -->` in HTML. */
export function shownFiles(page: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const { text } of blocksOf(page)) {
    const path = /^(?:\/\/ |<!-- )([\w./-]+\.\w+)(?: -->)?\n/.exec(text)?.[1];
    if (path !== undefined) files[path] = text;
  }
  return files;
}

/** Returns the targets of a page's links and images, except in code. */
export function linksOf(page: string): string[] {
  const prose = page.replaceAll(fence, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)].map((match) => match[1] ?? "");
}

/** Returns the anchors of a page's headings, in GitHub's format. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of page.replaceAll(fence, "").matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-");
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n++) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Returns the file of a relative link, relative to the root, and its anchor; undefined for URLs. */
export function resolveLink(
  page: string,
  link: string,
): { readonly file: string; readonly anchor: string } | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return undefined;
  const [path = "", anchor = ""] = link.split("#");
  const file = path === "" ? page : relative(".", join(dirname(page), decodeURIComponent(path)));
  return { file, anchor };
}
