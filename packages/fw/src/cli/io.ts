import { readLine, readSecret } from "./secret-input.ts";

/** Everything a command touches of the process it runs in, so that a test can be that process. */
export interface IO {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  readonly err: Output;
  readonly input: Input;
  /** Calls back for each request to stop (Ctrl-C, SIGTERM, a closed terminal) and returns how to stop listening. */
  onStop(stop: () => void): () => void;
  /** Calls back for each of these signals, which then end nothing, and returns how to stop listening. */
  onSignals(signals: readonly NodeJS.Signals[], then: () => void): () => void;
}

interface Input {
  readonly isTTY: boolean;
  /** A line that is not shown: typed at the terminal after `label`, else the next line of standard input. */
  secret(label: string): Promise<string>;
  /** A line that is typed after `label`, else the next one of standard input; "" at its end. */
  line(label: string): Promise<string>;
  /** Hands on everything that comes, until its end, and returns how to stop reading. */
  read(took: (chunk: Buffer) => void, ended: () => void): () => void;
}

interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
}

export function processIO(): IO {
  const err = output(process.stderr);
  return {
    cwd: process.cwd(),
    env: process.env,
    out: output(process.stdout),
    err,
    input: input(err),
    onStop,
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

function read(took: (chunk: Buffer) => void, ended: () => void): () => void {
  process.stdin.on("data", took).on("close", ended).on("error", ended);
  return () => void process.stdin.destroy();
}

function output(stream: NodeJS.WriteStream): Output {
  return { write: (text) => void stream.write(text), isTTY: stream.isTTY };
}

function onStop(stop: () => void): () => void {
  return onSignals(["SIGINT", "SIGTERM", "SIGHUP"], stop);
}

function onSignals(signals: readonly NodeJS.Signals[], then: () => void): () => void {
  for (const signal of signals) process.on(signal, then);
  return () => {
    for (const signal of signals) process.off(signal, then);
  };
}
