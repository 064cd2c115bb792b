import { relative, resolve } from "node:path";
import { Workspace } from "../../workspace/workspace.ts";
import { sourceRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { refuse, withoutTemplates, write } from "./write.ts";

/** Prints the document, or writes it to a file. */
export async function writeOpenApi(out: string | undefined, io: IO): Promise<ExitCode> {
  const root = sourceRoot(io.cwd);
  const workspace = new Workspace({ root, env: io.env });
  try {
    const { app, diagnostics } = await workspace.read();
    const wrong = withoutTemplates(diagnostics);
    if (wrong.length > 0) return refuse(wrong, root, io);
    if (app.packages.length === 0) throw nothingDeclared(root);
    const text = `${JSON.stringify(await workspace.openApi(), undefined, 2)}\n`;
    if (out === undefined) io.out.write(text);
    else write(resolve(io.cwd, out), text, relative(io.cwd, resolve(io.cwd, out)), io);
    return 0;
  } finally {
    workspace.close();
  }
}
