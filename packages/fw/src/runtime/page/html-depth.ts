/** Tags up to which HTML is sanitised however they nest. */
const anyTags = 2000;

/** Depth of HTML with more tags than that. */
const deepest = 200;

const voidElements: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "wbr", "col"]);

/**
 * True for HTML that the sanitiser takes in time linear in its length. Its parser's cost for a tag grows with the tags
 * that are open, so HTML with a great many of them must be well formed, and not deep.
 */
export function isSanitisable(html: string): boolean {
  return hasFewTags(html) || isShallow(html);
}

function hasFewTags(html: string): boolean {
  const tag = /<[a-z]/gi;
  for (let count = 0; count < anyTags; count++) if (!tag.test(html)) return true;
  return false;
}

function isShallow(html: string): boolean {
  const piece = /[^<]+|<(\/?)([a-z][a-z0-9]*)(?:\s+[a-z-]+(?:="[^"<>]*")?)*\s*\/?>/y;
  const open: string[] = [];
  while (piece.lastIndex < html.length) {
    const found = piece.exec(html);
    if (found === null) return false;
    const [, closes, name] = found;
    if (name === undefined || voidElements.has(name)) continue;
    if (closes === "") open.push(name);
    else if (open.pop() !== name) return false;
    if (open.length > deepest) return false;
  }
  return true;
}
