/** The references by which literal attribute values write characters that matter to the scanners. */
const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  colon: ":",
  sol: "/",
  bsol: "\\",
  grave: "`",
  lpar: "(",
  rpar: ")",
  lcub: "{",
  rcub: "}",
  semi: ";",
  num: "#",
  quest: "?",
  equals: "=",
  Tab: "\t",
  NewLine: "\n",
  nbsp: "\u00a0",
};

/** A literal attribute value as the browser will read it. */
export function decodeReferences(source: string): string {
  return source.includes("&") ? source.replace(/&(?:#x([0-9a-f]+)|#([0-9]+)|([a-z]+));?/gi, decoded) : source;
}

function decoded(reference: string, hex?: string, decimal?: string, name?: string): string {
  if (name !== undefined) return (Object.hasOwn(named, name) && named[name]) || reference;
  const code = hex === undefined ? Number.parseInt(decimal ?? "", 10) : Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}
