import type { Feature } from "./asked.ts";
import { codeActions } from "./code-actions.ts";
import { completion } from "./completion.ts";
import { definition } from "./definition.ts";
import { hover } from "./hover/hover.ts";

/** What can be asked about a file, by its method. */
export const features: Readonly<Record<string, Feature>> = {
  "textDocument/hover": hover,
  "textDocument/definition": definition,
  "textDocument/completion": completion,
  "textDocument/codeAction": codeActions,
};
