import { readSecret } from "./secret-input.ts";

/** Everything a command touches of the process it runs in, so that a test can be that process. */
export interface IO {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  readonly err: Output;
  readonly input: Input;
  /** Calls back for each request to stop (Ctrl-C, SIGTERM, a closed terminal) and returns how to stop listening. */
  onStop(stop: () => void): () => void;
}

interface Input {
  readonly isTTY: boolean;
  /** A line that is not shown: typed at the terminal after `label`, else the next line of standard input. */
  secret(label: string): Promise<string>;
}

interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
}

export function processIO(): IO {
  const err = output(process.stderr);
  return { cwd: process.cwd(), env: process.env, out: output(process.stdout), err, input: input(err), onStop };
}

function input(prompts: Output): Input {
  const { stdin } = process;
  return { isTTY: stdin.isTTY, secret: (label) => readSecret(stdin, (text) => prompts.write(text), label) };
}

function output(stream: NodeJS.WriteStream): Output {
  return { write: (text) => void stream.write(text), isTTY: stream.isTTY };
}

function onStop(stop: () => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
}
