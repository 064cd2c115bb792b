import { inSourceOrder, type Diagnostic } from "../../model/diagnostic.ts";
import { sourceText } from "../../workspace/source-text.ts";
import { writeGenerated } from "../../workspace/write-generated.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { wantsColour } from "../print/colour.ts";
import { printText } from "../print/text.ts";

/** Writes a generated file and says so; `shown` is what a person calls it. */
export function write(path: string, text: string, shown: string, io: IO): void {
  try {
    io.out.write(`${shown} ${writeGenerated(path, text) ? "is written" : "is as it was"}\n`);
  } catch (error) {
    throw new Refusal(`${shown} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What no template is made of cannot be wrong for one. */
export function withoutTemplates(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter(({ code }) => code !== "template");
}

/** Prints why nothing is written. */
export function refuse(diagnostics: readonly Diagnostic[], root: string, io: IO): ExitCode {
  const sorted = diagnostics.toSorted((a, b) => inSourceOrder(a.at, b.at));
  io.out.write(printText(sorted, { colour: wantsColour(io.out, io.env), source: sourceText(root) }));
  return 1;
}
