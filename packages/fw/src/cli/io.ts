import type { BundleMemo } from "../build/memo.ts";
import { outliveReaders } from "../lib/reader-gone.ts";
import { openProgress, type LiveProgress, type Progress } from "./print/progress.ts";
import { readLine, readSecret } from "./secret-input.ts";

/** A command's access to its process. Tests can replace it. */
export interface IO {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  readonly err: Output;
  readonly input: Input;
  /** Shows the steps of long work on standard error. */
  readonly progress: Progress;
  /** The bundles of earlier commands for the same application, for callers that run several in this process. */
  readonly bundles?: BundleMemo;
  /**
   * Calls back on each request to stop (Ctrl-C, SIGTERM, a closed terminal). Returns a function that stops listening.
   */
  onStop(stop: () => void): () => void;
  /**
   * Calls back when nothing reads standard output any longer, so that commands that only print can end. Returns a
   * function that stops listening.
   */
  onUnread(then: () => void): () => void;
  /** Calls back on each of these signals instead of ending the process. Returns a function that stops listening. */
  onSignals(signals: readonly NodeJS.Signals[], then: () => void): () => void;
}

interface Input {
  readonly isTTY: boolean;
  /**
   * Prompts for a line at a terminal and does not echo it; otherwise reads the next line of standard input, "" at its
   * end.
   */
  secret(label: string): Promise<string>;
  /** Prompts for a line at a terminal; otherwise reads the next line of standard input, "" at its end. */
  line(label: string): Promise<string>;
  /** Calls back with each chunk until the end of the input. Returns a function that stops reading. */
  read(onChunk: (chunk: Buffer) => void, onEnd: () => void): () => void;
}

interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
}

export function processIO(): IO {
  outliveReaders();
  const progress = openProgress(process.stderr, process.env);
  const err = output(process.stderr, progress);
  return {
    cwd: process.cwd(),
    env: process.env,
    out: output(process.stdout, progress),
    err,
    input: input(err),
    progress,
    onStop,
    onUnread,
    onSignals,
  };
}

function input(prompts: Output): Input {
  const { stdin } = process;
  const prompt = (text: string): void => prompts.write(text);
  return {
    isTTY: stdin.isTTY,
    secret: (label) => readSecret(stdin, prompt, label),
    line: (label) => readLine(stdin, prompt, label),
    read,
  };
}

function read(onChunk: (chunk: Buffer) => void, onEnd: () => void): () => void {
  process.stdin.on("data", onChunk).on("close", onEnd).on("error", onEnd);
  return () => void process.stdin.destroy();
}

function output(stream: NodeJS.WriteStream, progress: LiveProgress): Output {
  const write = (text: string): void => void stream.write(text);
  if (!stream.isTTY) return { write, isTTY: false };
  return { write: (text) => progress.above(text, write), isTTY: true };
}

function onStop(stop: () => void): () => void {
  return onSignals(["SIGINT", "SIGTERM", "SIGHUP"], stop);
}

function onUnread(then: () => void): () => void {
  process.stdout.on("error", then);
  return () => void process.stdout.off("error", then);
}

function onSignals(signals: readonly NodeJS.Signals[], then: () => void): () => void {
  for (const signal of signals) process.on(signal, then);
  return () => {
    for (const signal of signals) process.off(signal, then);
  };
}
