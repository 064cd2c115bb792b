const parameter = /[ \t]*;[ \t]*([!#$%&'+.^_`|~0-9A-Za-z-]+\*?)=(?:"((?:[^"\\]|\\[^])*)"|([^\s;"]+))/y;

/** The parameters of a header value from `start` on, by lower-case name; undefined where it is malformed or says one twice. */
export function readParameters(value: string, start: number): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>();
  parameter.lastIndex = start;
  let end = start;
  for (let found = parameter.exec(value); found !== null; found = parameter.exec(value)) {
    const name = (found[1] ?? "").toLowerCase();
    if (parameters.has(name)) return undefined;
    parameters.set(name, found[2] === undefined ? (found[3] ?? "") : found[2].replaceAll(/\\(["\\])/g, "$1"));
    end = parameter.lastIndex;
  }
  return /[^ \t;]/.test(value.slice(end)) ? undefined : parameters;
}
