import { relative, resolve } from "node:path";
import { inSourceOrder, type Diagnostic } from "../../model/diagnostic.ts";
import { writeGenerated } from "../../workspace/write-generated.ts";
import { refusing, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { printText, textOptions } from "../print/text.ts";

/** Writes a generated file and says so. */
export function write(path: string, text: string, io: IO): void {
  const shown = relative(io.cwd, path);
  const isNew = refusing(() => writeGenerated(path, text), `${shown} cannot be written: `);
  io.out.write(`${shown} ${isNew ? "is written" : "is as it was"}\n`);
}

/** Prints a generated document, or writes it to the file that is named. */
export function put(text: string, { out }: { readonly out: string | undefined }, io: IO): ExitCode {
  if (out === undefined) io.out.write(text);
  else write(resolve(io.cwd, out), text, io);
  return 0;
}

/** What no template is made of cannot be wrong for one. */
export function withoutTemplates(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter(({ code }) => code !== "template");
}

/** Prints why nothing is written. */
export function refuse(diagnostics: readonly Diagnostic[], root: string, io: IO): ExitCode {
  const sorted = diagnostics.toSorted((a, b) => inSourceOrder(a.at, b.at));
  io.out.write(printText(sorted, textOptions(root, io)));
  return 1;
}
