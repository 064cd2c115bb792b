/** The maximum number of tags in HTML that is sanitized whatever its depth. */
const mostTags = 2000;

/** The maximum depth of HTML with more tags. */
const deepest = 200;

const voidElements: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "wbr", "col"]);

/**
 * True for HTML that can be sanitized in linear time. The parser's cost per tag grows with the number of open tags, so
 * HTML with many tags must be well-formed and shallow.
 */
export function isSanitisable(html: string): boolean {
  return hasFewTags(html) || isShallow(html);
}

function hasFewTags(html: string): boolean {
  const tag = /<[a-z]/gi;
  for (let count = 0; count < mostTags; count++) if (!tag.test(html)) return true;
  return false;
}

function isShallow(html: string): boolean {
  const piece = /[^<]+|<(\/?)([a-z][a-z0-9]*)(?:\s+[a-z-]+(?:="[^"<>]*")?)*\s*\/?>/y;
  const open: string[] = [];
  while (piece.lastIndex < html.length) {
    const match = piece.exec(html);
    if (match === null) return false;
    const [, closes, name] = match;
    if (name === undefined || voidElements.has(name)) continue;
    if (closes === "") open.push(name);
    else if (open.pop() !== name) return false;
    if (open.length > deepest) return false;
  }
  return true;
}
