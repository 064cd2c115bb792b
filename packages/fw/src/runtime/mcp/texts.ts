/** Messages that only MCP clients see, in tool results and HTTP errors. */

export const sendsJSON = "this path answers with application/json";
export const notArgument = "must be text, a number, true or false, or a list of them";
export const toolPath = (most: number): string =>
  `the arguments: in a URL they have more than ${most} bytes; send shorter texts`;
export const unknownArgument = (names: readonly string[]): string =>
  `is unknown; ${names.length === 0 ? "the tool has no arguments" : `the arguments are ${names.join(", ")}`}`;
