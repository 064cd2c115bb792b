import type { ESTree } from "rolldown/utils";
import type { DeclarationRef } from "../../model/app.ts";
import type { DeclarationName } from "../../model/kinds.ts";
import type { Read } from "./read.ts";
import type { Source } from "./source.ts";

/** Reads one kind of declaration. Never throws and reports nothing: rules judge what it found. */
export type Reader = (
  source: Source,
  call: ESTree.CallExpression,
  declaration: DeclarationRef,
  /** The function that is called: `RequireRole`. */
  name: DeclarationName,
) => Read;
