import { spawnSync } from "node:child_process";

/** A depth of brackets beyond what people write, far below the several thousand that the parser's stack holds. */
const deepBrackets = 400;
/**
 * Maximum number of characters without the end of a statement or list element; a very long operator chain exceeds it.
 */
const longStretch = 8_000;
/** Timeout of a trial parse, in milliseconds. */
const trialTimeout = 20_000;

/** False for source text that would crash the process, because its nesting overflows the parser's stack. */
export function isSafeToParse(text: string): boolean {
  return !isSuspicious(text) || survivesTrial(text);
}

/** True for source text that may be nested too deeply. Strings and comments count, so there are false positives. */
export function isSuspicious(text: string): boolean {
  let depth = 0;
  let stretch = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isEnd = code === 0x3b || code === 0x2c;
    stretch = isEnd ? 0 : stretch + 1;
    if (code === 0x28 || code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x29 || code === 0x5d || code === 0x7d) depth = Math.max(0, depth - 1);
    if (depth > deepBrackets || stretch > longStretch) return true;
  }
  return false;
}

/** True if the parser can parse a text. Parses in a child process, because the parser may crash. */
function survivesTrial(text: string): boolean {
  const parser = JSON.stringify(import.meta.resolve("rolldown/utils"));
  const script = `import { parseSync } from ${parser};
import { readFileSync } from "node:fs";
parseSync("a.tsx", readFileSync(0, "utf8"), { lang: "ts", sourceType: "module" }).program;`;
  const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    input: text,
    timeout: trialTimeout,
    stdio: ["pipe", "ignore", "ignore"],
  });
  return status === 0;
}
