const word = /[\p{L}\p{N}_$]+/gu;

/** Returns the name of a type in its source, such as `Page` for `shop/page.ts#Page<string>`. Undefined if anonymous. */
export function sourceName(id: string): string | undefined {
  const name = id.slice(id.indexOf("#") + 1).replace(/<.*/s, "");
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : undefined;
}

/** True for a named type without arguments. */
export function isPlain(id: string): boolean {
  return sourceName(id) !== undefined && !id.slice(id.indexOf("#")).includes("<");
}

/**
 * Assigns names to types: the name in the source, with the arguments of a generic type, as in `PageOfOrder`. Numbers
 * names that clash after escaping.
 */
export function typeNames(
  ids: readonly string[],
  escape: (name: string) => string = (name) => name,
): ReadonlyMap<string, string> {
  const usedNames = new Set<string>();
  const names = new Map<string, string>();
  const plainFirst = ids.toSorted((a, b) => Number(isPlain(b)) - Number(isPlain(a)));
  for (const id of plainFirst) {
    names.set(id, unusedName(escape(nameOf(id)), usedNames));
  }
  return names;
}

/** Numbers the name if it is already used, and marks the result as used. */
export function unusedName(baseName: string, usedNames: Set<string>): string {
  let name = baseName;
  for (let count = 2; usedNames.has(name); count += 1) name = `${baseName}${count}`;
  usedNames.add(name);
  return name;
}

/**
 * Derives a name from a type's id, `<path>#<name><arguments>`. Each argument is an id, or the text of a type with its
 * location.
 */
function nameOf(id: string): string {
  const text = id.slice(id.indexOf("#") + 1);
  const open = text.indexOf("<");
  const name = sourceName(id) ?? "Nested";
  if (open === -1) return name;
  const parts = argumentsOf(text.slice(open + 1, -1)).map(argumentName);
  return `${name}Of${parts.join("And")}`;
}

/** Splits at commas outside brackets. */
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
  return words.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("");
}
