/** Messages that only MCP clients see, in tool results and HTTP errors. */

export const sendsJSON = "this path responds with application/json";
export const notArgument = "must be a string, a number, true or false, or a list of these";
export const toolPath = (most: number): string =>
  `the arguments: they have more than ${most} bytes in the URL; send shorter values`;
export const unknownArgument = (names: readonly string[]): string =>
  `is unknown; ${names.length === 0 ? "the tool has no arguments" : `the arguments are ${names.join(", ")}`}`;
