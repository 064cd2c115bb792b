/** What the names of types are made of. */
const word = /[\p{L}\p{N}_$]+/gu;

/** The name of a type in its source: the `Page` of `shop/page.ts#Page<string>`. Undefined where it has none. */
export function sourceName(id: string): string | undefined {
  const name = id.slice(id.indexOf("#") + 1).replace(/<.*/s, "");
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : undefined;
}

/** True for a type that its source names as it is, without arguments. */
export function isPlain(id: string): boolean {
  return sourceName(id) !== undefined && !id.slice(id.indexOf("#")).includes("<");
}

/**
 * A name for each of some types: that of its source, and for a generic one with its arguments, `PageOfOrder`. Where two
 * have one name once it is escaped, all but the first are numbered.
 */
export function typeNames(
  ids: readonly string[],
  escape: (name: string) => string = (name) => name,
): ReadonlyMap<string, string> {
  const usedNames = new Set<string>();
  const names = new Map<string, string>();
  const plainFirst = ids.toSorted((a, b) => Number(isPlain(b)) - Number(isPlain(a)));
  for (const id of plainFirst) {
    const wanted = escape(nameOf(id));
    let name = wanted;
    for (let count = 2; usedNames.has(name); count += 1) name = `${wanted}${count}`;
    usedNames.add(name);
    names.set(id, name);
  }
  return names;
}

/** An id is `<path>#<name><arguments>`; an argument is an id, or the text of a type and where it stands. */
function nameOf(id: string): string {
  const text = id.slice(id.indexOf("#") + 1);
  const open = text.indexOf("<");
  const name = sourceName(id) ?? "Nested";
  if (open === -1) return name;
  const parts = argumentsOf(text.slice(open + 1, -1)).map(argumentName);
  return `${name}Of${parts.join("And")}`;
}

/** Split at the commas that are in no brackets. */
function argumentsOf(text: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    if ("<{[(".includes(character)) depth += 1;
    if (">}])".includes(character)) depth -= 1;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function argumentName(argument: string): string {
  if (/^[^<{[("'`]*#/.test(argument)) return nameOf(argument);
  const words = argument.replace(/@[^@]*$/s, "").match(word) ?? ["Type"];
  return words.map((found) => found.charAt(0).toUpperCase() + found.slice(1)).join("");
}
