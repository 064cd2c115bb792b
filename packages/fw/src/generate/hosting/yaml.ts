/** The supported YAML values. Members without a value are omitted. */
export type Yaml = string | number | boolean | readonly Yaml[] | { readonly [name: string]: Yaml | undefined };

/** Strings that YAML would parse as another type. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

/** Writes a value as YAML in block style. */
export function yamlOf(value: Yaml): string {
  return `${lines(value).join("\n")}\n`;
}

function lines(value: Yaml): readonly string[] {
  if (typeof value !== "object") return [scalar(value)];
  if (Array.isArray(value)) {
    const items = value as readonly Yaml[];
    return items.length === 0 ? ["[]"] : items.flatMap((item) => listItem(lines(item)));
  }
  const members = Object.entries(value).filter((member): member is [string, Yaml] => member[1] !== undefined);
  return members.length === 0 ? ["{}"] : members.flatMap(([name, own]) => memberLines(scalar(name), own));
}

function memberLines(name: string, value: Yaml): readonly string[] {
  if (typeof value === "string" && /^\S[^]*[^\n]\n$/.test(value))
    return [
      `${name}: |`,
      ...value
        .slice(0, -1)
        .split("\n")
        .map((line) => (line === "" ? "" : `  ${line}`)),
    ];
  const own = lines(value);
  const isBlock = typeof value === "object" && Object.keys(value).length > 0;
  return isBlock ? [`${name}:`, ...own.map((line) => (line === "" ? "" : `  ${line}`))] : [`${name}: ${own.join("")}`];
}

/** Prefixes the first line with `- ` and indents the other lines by two spaces. */
function listItem([first = "", ...rest]: readonly string[]): readonly string[] {
  return [`- ${first}`, ...rest.map((line) => (line === "" ? "" : `  ${line}`))];
}

function scalar(value: string | number | boolean): string {
  if (typeof value !== "string") return String(value);
  const isPlain = /^[A-Za-z_/][\w./-]*$/.test(value) && !reserved.test(value);
  return isPlain ? value : JSON.stringify(value);
}
