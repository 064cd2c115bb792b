import { distinct } from "../../lib/grouped.ts";
import type { Program } from "./ast.ts";
import type { Context } from "./context.ts";
import { Emitter } from "./emitter.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { TemplateSource } from "./problem.ts";
import { LostPosition, type Unit, type Work } from "./unit.ts";
import { walk } from "./walk.ts";

interface UnitInput {
  readonly file: TemplateSource;
  readonly program: Program;
  readonly from: Context;
  readonly name: string;
}

export function compileUnit(
  { file, program, from, name }: UnitInput,
  uses: Pick<Work, "usePartial" | "useComponent" | "formField" | "checkMessage">,
): Omit<Unit, "calls" | "components" | "messages"> {
  let count = 0;
  const emitter = new Emitter();
  const diagnostics: Diagnostic[] = [];
  const isLayout = file.name === "layout.html";
  const work: Work = { ...uses, file, isLayout, diagnostics, fresh: () => ++count, emitter, walk };
  const end = walkUnit(program, from, work);
  const code = `function ${name}(c, r, p) {\nlet o = "";\n${emitter.end()}\nreturn o;\n}`;
  // Remove duplicates, because the body of a loop is compiled more than once.
  const uniqueDiagnostics = distinct(diagnostics, (diagnostic) => JSON.stringify(diagnostic));
  return { file: file.name, function: name, code, end, diagnostics: uniqueDiagnostics };
}

function walkUnit(program: Program, from: Context, work: Work): Context {
  try {
    return walk(program, { scope: { context: "c", names: new Map() }, context: from, work });
  } catch (error) {
    // Callers of this template continue as if its tags were balanced.
    if (error instanceof LostPosition) return from;
    throw error;
  }
}
