import { join, resolve } from "node:path";
import { clientPath } from "../../generate/client/client.ts";
import { Saves } from "../../workspace/saves.ts";
import { Workspace, type Contents } from "../../workspace/workspace.ts";
import { sourceRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { refuse, withoutTemplates, write } from "./write.ts";

export interface ClientSettings {
  /** Relative to the working directory; the application's own place for it by default. */
  readonly out: string | undefined;
  readonly watch: true | undefined;
}

/** Writes the client, once or until it is told to stop. */
export async function writeClient({ out, watch }: ClientSettings, io: IO): Promise<ExitCode> {
  const root = sourceRoot(io.cwd);
  const path = out === undefined ? join(root, clientPath) : resolve(io.cwd, out);
  const workspace = new Workspace({ root, env: io.env });
  const writeOnce = async ({ app, diagnostics }: Contents): Promise<ExitCode> => {
    const wrong = withoutTemplates(diagnostics);
    if (app.packages.length === 0 && wrong.length === 0) throw nothingDeclared(root);
    const made = await workspace.client();
    const refused = [...wrong, ...("refusals" in made ? made.refusals : [])];
    if (refused.length > 0 || "refusals" in made) return refuse(refused, root, io);
    write(path, made.text, io);
    return 0;
  };
  try {
    if (watch) return await follow(workspace, writeOnce, io);
    return await writeOnce(await workspace.read());
  } finally {
    workspace.close();
  }
}

/** Watching comes first: what is saved while the application is read is read again. */
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
