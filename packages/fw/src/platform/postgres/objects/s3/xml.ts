/**
 * Returns the text of the first element with this name; undefined if there is none or it contains other elements.
 * Ignores elements with attributes.
 */
export function elementText(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  if (start === -1) return undefined;
  const from = start + name.length + 2;
  const end = xml.indexOf(`</${name}>`, from);
  const text = end === -1 ? "<" : xml.slice(from, end);
  return text.includes("<") ? undefined : unescaped(text);
}

/** Returns the inner XML of each element with this name. Such elements must not be nested. */
export function elements(xml: string, name: string): readonly string[] {
  return xml
    .split(`<${name}>`)
    .slice(1)
    .flatMap((part) => {
      const end = part.indexOf(`</${name}>`);
      return end === -1 ? [] : [part.slice(0, end)];
    });
}

export function hasRoot(xml: string, name: string): boolean {
  const root = /^\s*(?:<\?xml[^<>]*\?>)?\s*<([A-Za-z]{1,100})[\s>/]/.exec(xml);
  return root?.[1] === name;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replaceAll(/&(?:(amp|lt|gt|quot|apos)|#(\d{1,5})|#x([\da-fA-F]{1,4}));/g, (_, name, decimal, hex) =>
    name === undefined ? String.fromCharCode(hex ? Number.parseInt(hex, 16) : Number(decimal)) : (entities[name] ?? ""),
  );
}
