import type { LostPromise } from "../../readers/lost-promise.ts";
import type { Finding, Rule } from "../../rule.ts";

export const notAwaited: Rule = {
  id: "not-awaited",
  title: "Code awaits fw's operations, or puts `void` before those that nothing has to wait for",
  *app({ lostPromises }) {
    for (const promise of lostPromises) {
      const { at, drops, fix } = promise;
      yield {
        ...lostPromiseFinding(promise),
        ...(fix && { fix: { kind: "edits", title: words[drops].title, at, edits: fix } }),
      };
    }
  },
};

export function lostPromiseFinding({ text, at, drops }: LostPromise): Pick<Finding, "at" | "message" | "hint"> {
  const { reason, hint } = words[drops];
  return {
    at,
    message: `${reason(text)}: the handler may end first, and a failure stops the service`,
    hint: `${hint}, or put void before ${drops === "statement" ? "it" : "the operation"} if the handler need not wait for it`,
  };
}

interface Words {
  readonly reason: (text: string) => string;
  readonly hint: string;
  readonly title: string;
}

const words: Readonly<Record<LostPromise["drops"], Words>> = {
  statement: {
    reason: (text) => `${text} is not awaited`,
    hint: "put await before it, in an async function",
    title: "Add await",
  },
  forEach: {
    reason: (text) => `forEach does not wait for ${text}`,
    hint: "write a for loop with await",
    title: "Add await",
  },
  map: {
    reason: (text) => `the promises of ${text} in this map are not awaited`,
    hint: "write await Promise.all(…) around the map",
    title: "Await all",
  },
};
