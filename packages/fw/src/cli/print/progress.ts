import { palette, wantsColour, type Environment } from "./colour.ts";
import { cells } from "./width.ts";

/** Shows the steps of long work: in one live line on a terminal, otherwise in one line per step. */
export interface Progress {
  /** Starts a step and ends the previous one. */
  step(text: string): void;
  /** Shows the progress of the step on a terminal. */
  detail(text: string): void;
  /** Ends the last step and removes the live line. */
  end(): void;
}

export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Progress with a live line, above which other output on the same terminal can appear. */
export interface LiveProgress extends Progress {
  /** Writes other output above the live line. */
  above(text: string, write: (text: string) => void): void;
}

/** Milliseconds between two frames of the live line. */
const frameMs = 100;

/** Seconds after which the live line shows the duration of a step. */
const slowSeconds = 2;

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** The escape sequence that erases the line and returns to its start. */
const erase = "\r\u001b[2K";

/** Shows progress on a stream. A dumb terminal, which cannot erase a line, gets one line per step. */
export function openProgress(stream: ProgressStream, env: Environment): LiveProgress {
  return stream.isTTY === true && env["TERM"] !== "dumb" ? liveLine(stream, env) : linePerStep(stream);
}

function linePerStep(stream: ProgressStream): LiveProgress {
  let last = "";
  return {
    step: (text) => {
      if (text !== last) stream.write(`${text}\n`);
      last = text;
    },
    detail: () => {},
    end: () => void (last = ""),
    above: (text, write) => write(text),
  };
}

function liveLine(stream: ProgressStream, env: Environment): LiveProgress {
  const { dim, cyan } = palette(wantsColour(stream, env));
  let line: { readonly step: string; readonly since: number; detail: string } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;
  const draw = (): void => {
    if (line === undefined) return;
    const seconds = Math.floor((performance.now() - line.since) / 1_000);
    const rest = [line.detail, seconds < slowSeconds ? "" : `${seconds} s`].filter((text) => text !== "");
    const [step = "", more = ""] = truncate([line.step, rest.map((text) => `  ${text}`).join("")], columnsOf(stream));
    stream.write(`${erase}${cyan(frames[frame % frames.length] ?? "")} ${step}${dim(more)}`);
  };
  const tick = (): void => {
    frame++;
    draw();
  };
  return {
    step(step) {
      if (step === line?.step) return;
      line = { step, since: performance.now(), detail: "" };
      timer ??= setInterval(tick, frameMs).unref();
      draw();
    },
    detail(text) {
      if (line !== undefined) line.detail = text;
    },
    end() {
      if (line !== undefined) stream.write(erase);
      line = undefined;
      clearInterval(timer);
      timer = undefined;
    },
    above(text, write) {
      if (line !== undefined) stream.write(erase);
      write(text);
      if (text.endsWith("\n")) draw();
    },
  };
}

/** Returns the width of a terminal. Some terminals, such as in CI, have no size and report 0 columns. */
function columnsOf({ columns = 0 }: ProgressStream): number {
  return columns === 0 ? 80 : columns;
}

/** Truncates texts so that together they fit one line of a terminal, after the frame and its space. */
function truncate(texts: readonly string[], columns: number): string[] {
  let remaining = columns - 3;
  return texts.map((text) => {
    let result = "";
    for (const cell of cells(text)) {
      remaining -= cell.width;
      if (remaining >= 0) result += cell.text;
    }
    return result;
  });
}
