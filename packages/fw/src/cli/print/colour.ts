export interface Palette {
  readonly bold: Style;
  readonly dim: Style;
  readonly red: Style;
  readonly cyan: Style;
}

interface Stream {
  readonly isTTY?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

type Style = (text: string) => string;

const ansi = (open: number, close: number): Style => {
  return (text) => `\u001b[${open}m${text}\u001b[${close}m`;
};

const plain: Style = (text) => text;

const coloured: Palette = { bold: ansi(1, 22), dim: ansi(2, 22), red: ansi(31, 39), cyan: ansi(36, 39) };
const uncoloured: Palette = { bold: plain, dim: plain, red: plain, cyan: plain };

/** Returns functions that add ANSI colors, or that return the text unchanged. */
export function palette(colour: boolean): Palette {
  return colour ? coloured : uncoloured;
}

export function terminalPalette({ out, env }: { readonly out: Stream; readonly env: Environment }): Palette {
  return palette(wantsColour(out, env));
}

/** True on a terminal, unless NO_COLOR (https://no-color.org) is set or the terminal is dumb. */
export function wantsColour(stream: Stream, env: Environment): boolean {
  return stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}
