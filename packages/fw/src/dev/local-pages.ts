import { answeredHere } from "../console/answered.ts";
import type { DevBarState } from "../runtime/hooks.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import { atDocumentEnd, barEndpoints, devBar } from "./bar/bar.ts";

/**
 * The dev bar, and what the console asks for, for services that run in processes of their own. They load this module where they are told to, so that nothing of it
 * is in a bundle.
 */
export function localPages(shown: () => DevBarState): Pick<HandlerOptions, "decorate" | "injected" | "watcher"> {
  const answered = answeredHere();
  return {
    ...answered,
    decorate: (html, page) => atDocumentEnd(html, devBar(page, shown())),
    injected: { ...barEndpoints, ...answered.injected },
  };
}
