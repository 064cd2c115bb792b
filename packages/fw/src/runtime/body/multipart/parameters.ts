// Browsers do not escape with backslashes, but other clients use them to escape quotes. A backslash is therefore
// literal unless it precedes a quote that does not end the value.
const quoted = String.raw`"((?:[^"\\]|\\"(?![ \t]*(?:;|$))|\\(?!"(?![ \t]*(?:;|$))))*)"`;
const token = "[!#$%&'+.^_`|~0-9A-Za-z-]+";
const parameter = new RegExp(String.raw`[ \t]*;[ \t]*(${token}\*?)=(?:${quoted}|([^\s;"]+))`, "y");

/**
 * Parses a header value's parameters, starting at `start`, by lower-case name; undefined if the value is malformed or
 * repeats a name.
 */
export function readParameters(value: string, start: number): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>();
  parameter.lastIndex = start;
  let end = start;
  for (let found = parameter.exec(value); found !== null; found = parameter.exec(value)) {
    const name = (found[1] ?? "").toLowerCase();
    if (parameters.has(name)) return undefined;
    parameters.set(name, found[2] === undefined ? (found[3] ?? "") : found[2].replaceAll('\\"', '"'));
    end = parameter.lastIndex;
  }
  return /[^ \t;]/.test(value.slice(end)) ? undefined : parameters;
}
