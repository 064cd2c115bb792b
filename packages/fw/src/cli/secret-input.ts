import { createInterface } from "node:readline";
import type { ReadStream } from "node:tty";
import { Refusal } from "./command.ts";

/**
 * Reads a line that must not appear on screen. At a terminal, the user types it without echo. Otherwise, it is the next
 * line of standard input; "" at its end.
 */
export async function readSecret(
  stdin: NodeJS.ReadStream,
  prompt: (text: string) => void,
  label: string,
): Promise<string> {
  if (!stdin.isTTY) return nextLine(stdin);
  prompt(label);
  try {
    return await readKeys(stdin);
  } finally {
    prompt("\n");
  }
}

/** Reads a line typed at a terminal, otherwise the next line of standard input; "" at its end. */
export async function readLine(
  stdin: NodeJS.ReadStream,
  prompt: (text: string) => void,
  label: string,
): Promise<string> {
  if (stdin.isTTY) prompt(label);
  return nextLine(stdin);
}

let lines: AsyncIterator<string> | undefined;

async function nextLine(stdin: NodeJS.ReadStream): Promise<string> {
  lines ??= createInterface({ input: stdin, crlfDelay: Infinity })[Symbol.asyncIterator]();
  const { done, value } = await lines.next();
  return done === true ? "" : value;
}

const keys = { interrupt: "\u0003", end: "\u0004", backspace: "\u007f", delete: "\b", eraseLine: "\u0015" };

/** Reads keys until Enter or Ctrl-D, in raw mode so that the terminal does not echo them. Rejects on Ctrl-C. */
function readKeys(stdin: ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text: string[] = [];
    const wasRaw = stdin.isRaw;
    const end = (settle: () => void): void => {
      stdin.off("data", take);
      stdin.setRawMode(wasRaw);
      stdin.pause();
      settle();
    };
    const take = (chunk: string): void => {
      for (const key of chunk) {
        if (key === "\r" || key === "\n" || key === keys.end) return end(() => resolve(text.join("")));
        if (key === keys.interrupt) return end(() => reject(new Refusal("interrupted")));
        if (key === keys.backspace || key === keys.delete) text.pop();
        else if (key === keys.eraseLine) text = [];
        else text.push(key);
      }
    };
    stdin.setEncoding("utf8");
    stdin.setRawMode(true);
    stdin.on("data", take);
    stdin.resume();
  });
}
