const keyMessage = /expression of type '([^']*)' can't be used to index type '(.*)'/s;

/** A marker around a type: `Query<"open" | "paid">`, `Index<Status>`, `Header<Status, "X-Status">`. */
const markedType = /^(?:Path|Query|Form|Header|Cookie|Index|Unique|Transient)<((?:"[^"]*"|[^,"<>])+)(?:, "[^"]*")?>$/;

/** A marker of one literal that TypeScript narrowed to: `"open" & { readonly [index]?: Status | undefined; }`. */
const narrowedLiteral =
  /^("[^"]*"|-?\d+)(?: & \{ readonly \[(?:path|query|form|header|cookie|index|unique|transient)\]\?: [^{}]*\})+$/;

/**
 * Adds a hint to TypeScript's error 7053 for a key with a marked type. TypeScript indexes only by literals. A marked
 * literal is an intersection, but assignable to the plain literal.
 */
export function markedKeyHint(message: string, access: string): string | undefined {
  const [, type = "", object = ""] = keyMessage.exec(message) ?? [];
  const plain = plainType(type);
  if (plain === undefined || message.includes("does not exist on type") || lacksKey(object, plain)) return undefined;
  const [, key = "…"] = /\[\s*([\w$.]+!?)\s*\]$/.exec(access) ?? [];
  const name = key.replace(/!$/, "").split(".").at(-1);
  const variable = name === undefined || name === key ? "key" : name;
  return `name the plain type first, as in \`const ${variable}: ${plain} = ${key}\`, and index with it`;
}

/** True for a type without literals, and for a literal that the object has no property of. */
function lacksKey(object: string, plain: string): boolean {
  if (/^(?:string|number|bigint|boolean|Date)$/.test(plain)) return true;
  const literals = [...plain.matchAll(/"([\w$]+)"/g)].map(([, name]) => name);
  // TypeScript shortens long types.
  return /^\{(?!.*\.\.\.)/s.test(object) && literals.some((name) => !new RegExp(`[{;] ${name}\\??:`).test(object));
}

function plainType(type: string): string | undefined {
  const literals = type.split(" | (").map((part) => narrowedLiteral.exec(part.replaceAll(/^\(|\)$/g, ""))?.[1]);
  return literals.includes(undefined) ? markedType.exec(type)?.[1] : literals.join(" | ");
}
