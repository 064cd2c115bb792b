import { distinct } from "../../lib/grouped.ts";
import type { Program } from "./ast.ts";
import type { Context } from "./context.ts";
import { Emitter } from "./emitter.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { TemplateSource } from "./problem.ts";
import { Lost, type Unit, type Work } from "./unit.ts";
import { walk } from "./walk.ts";

interface Compiled {
  readonly file: TemplateSource;
  readonly program: Program;
  /** The place that it is compiled for. */
  readonly from: Context;
  /** Of the function. */
  readonly name: string;
}

/** Compiles one template for one place. */
export function compileUnit(
  { file, program, from, name }: Compiled,
  { usePartial, attributes }: Pick<Work, "usePartial" | "attributes">,
): Omit<Unit, "calls"> {
  let count = 0;
  const emitter = new Emitter();
  const diagnostics: Diagnostic[] = [];
  const isLayout = file.name === "layout.html";
  const work: Work = { file, isLayout, diagnostics, usePartial, attributes, fresh: () => ++count, emitter, walk };
  const end = walkOrLose(program, from, work);
  const code = `function ${name}(c, r, p) {\nlet o = "";\n${emitter.end()}\nreturn o;\n}`;
  // A loop's body is walked more than once.
  const found = distinct(diagnostics, (diagnostic) => JSON.stringify(diagnostic));
  return { file: file.name, function: name, code, end, diagnostics: found };
}

function walkOrLose(program: Program, from: Context, work: Work): Context {
  try {
    return walk(program, { scope: { context: "c", names: new Map() }, context: from, work });
  } catch (error) {
    // Whoever uses this template goes on as if it were balanced.
    if (error instanceof Lost) return from;
    throw error;
  }
}
