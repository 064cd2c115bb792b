import { resolve } from "node:path";
import { shownPath } from "../../lib/shown-path.ts";
import { inSourceOrder, type Diagnostic } from "../../model/diagnostic.ts";
import { writeGenerated } from "../../workspace/write-generated.ts";
import { refuseOnError, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { printText, textOptions } from "../print/text.ts";

/** Writes a generated file and prints whether it changed. */
export function write(path: string, text: string, io: IO): void {
  const name = shownPath(io.cwd, path);
  const isNew = refuseOnError(() => writeGenerated(path, text), `cannot write ${name}: `);
  io.out.write(`${name} ${isNew ? "written" : "unchanged"}\n`);
}

/** Prints a generated document, or writes it to the file of `--out`. */
export function output(text: string, { out }: { readonly out: string | undefined }, io: IO): ExitCode {
  if (out === undefined) io.out.write(text);
  else write(resolve(io.cwd, out), text, io);
  return 0;
}

/** Drops diagnostics of templates, which do not affect the output. */
export function withoutTemplates(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter(({ code }) => code !== "template");
}

/** Prints the diagnostics that prevent the output. */
export function refuse(diagnostics: readonly Diagnostic[], root: string, io: IO): ExitCode {
  const sorted = diagnostics.toSorted((a, b) => inSourceOrder(a.at, b.at));
  io.out.write(printText(sorted, textOptions(root, io)));
  return 1;
}
