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

/** Disables Vitest's search for a configuration in parent directories, which belongs to other tests. */
function configOf(root: string): { readonly config?: false } {
  const extensions = ["ts", "mts", "cts", "js", "mjs", "cjs"];
  const names = ["vitest", "vite"].flatMap((name) => extensions.map((extension) => `${name}.config.${extension}`));
  return names.some((name) => existsSync(join(root, name))) ? {} : { config: false };
}

/** Runs tests with the application's Vitest, its configuration and the plugin. */
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
  // Vitest sets the exit code for every failure: of a test, a file, or an unhandled rejection.
  return process.exitCode === undefined || process.exitCode === 0 ? 0 : 1;
}
