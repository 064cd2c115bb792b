import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Call, Located, Program } from "./ast.ts";
import type { Context } from "./context.ts";
import type { Emitter } from "./emitter.ts";
import type { FormField, FormUse } from "./form-helpers.ts";
import { problemAt, type TemplateSource } from "./problem.ts";
import type { Slots } from "./slots.ts";
import { TemplateError } from "./template-error.ts";
import type { Scope } from "./scope.ts";

/** A template compiled for one starting context: the text of a JavaScript function `(c, r, p) => string`. */
export interface Unit {
  readonly file: string;
  readonly function: string;
  readonly code: string;
  readonly end: Context;
  readonly diagnostics: readonly Diagnostic[];
  /** Keys of the units that the code calls. */
  readonly calls: readonly string[];
  /** Keys of the messages that the code shows. */
  readonly messages: readonly string[];
  /** Names of the components whose text is part of the code. */
  readonly components: readonly string[];
}

/** A component, which is compiled as part of the template that uses it. */
export interface Component {
  readonly file: TemplateSource;
  readonly program: Program;
}

/** A partial from its caller's view. */
export interface PartialUse {
  readonly function: string;
  readonly end: Context;
}

export interface Work {
  readonly file: TemplateSource;
  /** True for the layout, the only template with a `{{content}}`. */
  readonly isLayout: boolean;
  readonly diagnostics: Diagnostic[];
  /** Compiles a partial for the context of its use. Refuses unknown names. */
  readonly usePartial: (name: string, context: Context) => PartialUse;
  /** Finds a component. Refuses unknown names. */
  readonly useComponent: (name: string) => Component;
  /** The contents for the slots of the component being compiled. */
  readonly slots?: Slots;
  /** Refuses a call of `{{t}}` that does not match its message. */
  readonly checkMessage: (call: Call) => void;
  /** Finds a field of a form. Refuses unknown routes and fields. */
  readonly formField: (use: FormUse) => FormField;
  /** Returns a number that is unique in the function. */
  readonly fresh: () => number;
  readonly emitter: Emitter;
  /** Compiles the statements of a block or a component. */
  readonly walk: (program: Program | undefined, from: Place) => Context;
}

/** The position at which a statement is compiled. */
export interface Place {
  readonly scope: Scope;
  readonly context: Context;
  readonly work: Work;
}

/** Thrown to stop compiling a unit whose position in the document is lost. Its diagnostic is already recorded. */
export class LostPosition extends Error {}

/** Runs a step. After an error, records a diagnostic at the node and continues as if the node were absent. */
export function attempt({ context, work }: Place, node: Located, step: () => Context): Context {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    record(work, node, error);
    return context;
  }
}

/** Records an error that prevents the rest from being compiled. */
export function lose(work: Work, node: Located, error: TemplateError): never {
  record(work, node, error);
  throw new LostPosition();
}

function record(work: Work, { loc }: Located, error: TemplateError): void {
  work.diagnostics.push(problemAt(work.file, loc.start, error.message, error.hint, loc.end));
}
