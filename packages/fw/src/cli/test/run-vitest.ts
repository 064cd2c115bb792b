import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { fw } from "./vitest.ts";

/** The part of `vitest/node` that runs tests. */
interface VitestNode {
  readonly startVitest: (mode: "test", filters: readonly string[], options: object, vite: object) => Promise<Vitest>;
}

interface Vitest {
  close(): Promise<void>;
}

export interface TestRun {
  readonly root: string;
  readonly filters: readonly string[];
  readonly watch: boolean;
}

/** Of the application's own directory only: Vitest would take one of a directory above, which is for other tests. */
function configOf(root: string): { readonly config?: false } {
  const extensions = ["ts", "mts", "cts", "js", "mjs", "cjs"];
  const names = ["vitest", "vite"].flatMap((name) => extensions.map((extension) => `${name}.config.${extension}`));
  return names.some((name) => existsSync(join(root, name))) ? {} : { config: false };
}

/** Runs tests by the application's Vitest with its own configuration, and the plugin. */
export async function runVitest(vitest: string, { root, filters, watch }: TestRun, io: IO): Promise<ExitCode> {
  const { startVitest } = (await import(vitest)) as VitestNode;
  const running = await startVitest(
    "test",
    filters,
    { root, watch, run: !watch, ...configOf(root) },
    { plugins: [fw()] },
  );
  if (watch) await new Promise<void>((resolve) => io.onStop(resolve));
  await running.close();
  // Vitest says so itself, whatever the failure: of a test, of a file, or of code that nobody awaited.
  return process.exitCode === undefined || process.exitCode === 0 ? 0 : 1;
}
