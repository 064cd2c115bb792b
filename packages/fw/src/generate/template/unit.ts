import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Located, Program } from "./ast.ts";
import type { AttributesUse } from "./attributes.ts";
import type { Context } from "./context.ts";
import type { Emitter } from "./emitter.ts";
import { problemAt, type TemplateSource } from "./problem.ts";
import { TemplateError } from "./template-error.ts";
import type { Scope } from "./scope.ts";

/** One template compiled for one place: the text of a JavaScript function `(c, r, p) => string`. */
export interface Unit {
  readonly file: string;
  /** Name of the function. */
  readonly function: string;
  readonly code: string;
  /** Where the template leads from the place it began in. */
  readonly end: Context;
  readonly diagnostics: readonly Diagnostic[];
  /** Keys of the units that the code calls. */
  readonly calls: readonly string[];
}

/** A partial as seen by the template that uses it. */
export interface PartialUse {
  readonly function: string;
  readonly end: Context;
}

/** What compiling one unit carries along. */
export interface Work {
  readonly file: TemplateSource;
  /** Only the layout has a `{{content}}`. */
  readonly isLayout: boolean;
  readonly diagnostics: Diagnostic[];
  /** Compiles a partial for the place it is used in; refuses unknown names. */
  readonly usePartial: (name: string, context: Context) => PartialUse;
  /** The text of the attributes that a control is given; refuses unknown routes and fields. */
  readonly attributes: (use: AttributesUse) => string;
  /** A number that no other variable of the function has. */
  readonly fresh: () => number;
  readonly emitter: Emitter;
  /** Compiles the statements inside a block. */
  readonly walk: (program: Program | undefined, from: Place) => Context;
}

/** Where a statement of a template is compiled. */
export interface Place {
  readonly scope: Scope;
  readonly context: Context;
  readonly work: Work;
}

/** Stops a unit whose place in the document is lost; its diagnostic is recorded already. */
export class Lost extends Error {}

/** Runs one step; after an error, which becomes a diagnostic at the node, it is as if nothing stood there. */
export function attempt({ context, work }: Place, node: Located, step: () => Context): Context {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    record(work, node, error);
    return context;
  }
}

/** Records an error after which nothing that follows can be judged. */
export function lose(work: Work, node: Located, error: TemplateError): never {
  record(work, node, error);
  throw new Lost();
}

function record(work: Work, { loc }: Located, error: TemplateError): void {
  work.diagnostics.push(problemAt(work.file, loc.start, error.message, error.hint, loc.end));
}
