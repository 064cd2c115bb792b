const keyMessage = /expression of type '([^']*)' can't be used to index type '(.*)'/s;

/** A marker around a type: `Query<"open" | "paid">`, `Index<Status>`, `Header<Status, "X-Status">`. */
const markedType = /^(?:Path|Query|Form|Header|Cookie|Index|Unique|Transient)<((?:"[^"]*"|[^,"<>])+)(?:, "[^"]*")?>$/;

/** A marker of one literal that TypeScript narrowed to: `"open" & { readonly [index]?: Status | undefined; }`. */
const narrowedLiteral =
  /^("[^"]*"|-?\d+)(?: & \{ readonly \[(?:path|query|form|header|cookie|index|unique|transient)\]\?: [^{}]*\})+$/;

/** A literal that a default or a comparison added to those of a marker. */
const plainLiteral = /^("[^"]*"|-?\d+)$/;

/** `Record<Order["status"], string>` has no properties: its key is no literal. */
const markedRecord = /^Record<(.+), (.+)>$/s;

/**
 * Adds a hint to TypeScript's error 7053 for a key with a marked type. TypeScript indexes only by literals. A marked
 * literal is an intersection, but assignable to the plain literal.
 */
export function markedKeyHint(message: string, access: string): string | undefined {
  const [, type = "", object = ""] = keyMessage.exec(message) ?? [];
  const plain = plainType(type);
  if (plain === undefined || message.includes("does not exist on type")) return undefined;
  const [, key = "…"] = /\[\s*([\w$.]+!?)\s*\]$/.exec(access) ?? [];
  const constant = `\`const ${variableFor(key)}: ${plain} = ${key}\``;
  const [, recordKey = "", values = ""] = markedRecord.exec(object) ?? [];
  const plainKey = plainType(recordKey);
  if (plainKey !== undefined)
    return `a marked type names no properties: write Record<${plainKey}, ${values}>, and index it with ${constant}`;
  if (object === "{}" || lacksKey(object, plain)) return undefined;
  return `name the plain type first, as in ${constant}, and index with it`;
}

/** The name of a variable for the value of an expression: `status` for `order.status`. */
export function variableFor(expression: string): string {
  const [, name] = /\.([\w$]+)!?$/.exec(expression) ?? [];
  return name ?? "key";
}

/** True for a type without literals, and for a literal that the object has no property of. */
function lacksKey(object: string, plain: string): boolean {
  if (/^(?:string|number|bigint|boolean|Date)$/.test(plain)) return true;
  const literals = [...plain.matchAll(/"([\w$]+)"/g)].map(([, name]) => name);
  // TypeScript shortens long types.
  return /^\{(?!.*\.\.\.)/s.test(object) && literals.some((name) => !new RegExp(`[{;] ${name}\\??:`).test(object));
}

/** The type that a printed type marks; undefined if it is not marked. */
export function plainType(type: string): string | undefined {
  const whole = markedType.exec(type)?.[1];
  if (whole !== undefined) return whole;
  const members = type.split(/ \| (?=\(|"|-?\d)/).map((part) => part.replaceAll(/^\(|\)$/g, ""));
  const literals = members.map((part) => (narrowedLiteral.exec(part) ?? plainLiteral.exec(part))?.[1]);
  const isMarked = members.some((part) => narrowedLiteral.test(part));
  return !isMarked || literals.includes(undefined) ? undefined : literals.join(" | ");
}
