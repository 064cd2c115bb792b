import { openApi } from "../../generate/openapi/document.ts";
import { Workspace } from "../../workspace/workspace.ts";
import { sourceRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { json } from "../print/output.ts";
import { output, refuse, withoutTemplates } from "./write.ts";

/** Prints the OpenAPI document, or writes it to a file. */
export async function writeOpenApi(options: { readonly out: string | undefined }, io: IO): Promise<ExitCode> {
  const root = sourceRoot(io.cwd);
  const workspace = new Workspace({ root, env: io.env });
  try {
    const { app, diagnostics } = await workspace.read();
    const wrong = withoutTemplates(diagnostics);
    if (wrong.length > 0) return refuse(wrong, root, io);
    if (app.packages.length === 0) throw nothingDeclared(root);
    return output(json(openApi(app, await workspace.analyzer.descriptions(), { servers: true })), options, io);
  } finally {
    workspace.close();
  }
}
