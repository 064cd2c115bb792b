import { join, resolve } from "node:path";
import { clientPath, generateClient } from "../../generate/client/client.ts";
import { Saves } from "../../workspace/saves.ts";
import { Workspace, type Contents } from "../../workspace/workspace.ts";
import { sourceRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { refuse, withoutTemplates, write } from "./write.ts";

export interface ClientSettings {
  /** A path relative to the working directory; by default the application's path for its client. */
  readonly out: string | undefined;
  readonly watch: true | undefined;
}

/** Writes the client, once or on every change until the user stops it. */
export async function writeClient({ out, watch }: ClientSettings, io: IO): Promise<ExitCode> {
  const root = sourceRoot(io.cwd);
  const path = out === undefined ? join(root, clientPath) : resolve(io.cwd, out);
  const workspace = new Workspace({ root, env: io.env });
  const writeOnce = async ({ app, diagnostics: all }: Contents): Promise<ExitCode> => {
    const diagnostics = withoutTemplates(all);
    if (app.packages.length === 0 && diagnostics.length === 0) throw nothingDeclared(root);
    const result = generateClient(app, await workspace.analyzer.descriptions());
    const problems = [...diagnostics, ...("refusals" in result ? result.refusals : [])];
    if (problems.length > 0 || "refusals" in result) return refuse(problems, root, io);
    write(path, result.text, io);
    return 0;
  };
  try {
    if (watch) return await follow(workspace, writeOnce, io);
    return await writeOnce(await workspace.read());
  } finally {
    workspace.close();
  }
}

/**
 * Calls `write` at once and after every change. Watches the files before reading the application, so that no change is
 * missed.
 */
async function follow(
  workspace: Workspace,
  write: (contents: Contents) => Promise<ExitCode>,
  io: IO,
): Promise<ExitCode> {
  let done: (() => void) | undefined;
  const stopped = new Promise<ExitCode>((resolve, reject) => {
    done = io.onStop(() => resolve(0));
    const saves = new Saves(async (changes) => {
      await write(await workspace.update(workspace.classify(changes)));
    }, reject);
    const failed = (why: string): void => io.err.write(`fw: ${why}\n`);
    workspace.watch({ changed: (changes) => saves.add(changes), failed });
    saves.runExclusively(async () => write(await workspace.read())).catch(reject);
  });
  return stopped.finally(() => done?.());
}
