import type { HandlerOptions } from "../runtime/options.ts";
import { barEndpoints, devBar } from "./bar/bar.ts";
import { atDocumentEnd } from "./document-end.ts";

/**
 * The dev bar for services that run in processes of their own. They load this module where they are told to, so that nothing of it
 * is in a bundle.
 */
export const localPages: Pick<HandlerOptions, "decorate" | "injected"> = {
  decorate: (html, page) => atDocumentEnd(html, devBar(page, { signsIn: true, firing: [] })),
  injected: barEndpoints,
};
