import { realpathSync } from "node:fs";
import type { BuiltService } from "../../packages/fw/src/build/build.ts";
import type { BuildPlatform } from "../../packages/fw/src/build/platform.ts";
import { builtApp } from "../../packages/fw/src/cli/build/built-app.ts";
import { silent } from "../../packages/fw/src/cli/testing/run.ts";

/** The size of a built service's code. */
export interface ServiceSize {
  /** The bytes loaded before it serves. */
  readonly loaded: number;
  /** The bytes of all of its code. */
  readonly all: number;
  /** The modules loaded before it serves. */
  readonly modules: number;
}

/** Bundles an application in this process and returns sizes by service. */
export async function serviceSizes(
  root: string,
  platform: BuildPlatform = "local",
): Promise<ReadonlyMap<string, ServiceSize>> {
  let printed = "";
  const out = { isTTY: false, write: (text: string) => void (printed += text) };
  const built = await builtApp(realpathSync(root), platform, { ...silent, out, cwd: root, env: process.env });
  if (built === undefined) throw new Error(printed);
  return new Map(built.services.map((service) => [service.service.name, sizeOf(service)]));
}

function sizeOf({ files }: BuiltService): ServiceSize {
  const code = files.filter(({ modules }) => modules !== undefined);
  const atStart = code.filter(({ isLoadedAtStart }) => isLoadedAtStart);
  const bytes = (all: typeof code): number => all.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  return {
    loaded: bytes(atStart),
    all: bytes(code),
    modules: new Set(atStart.flatMap(({ modules }) => (modules?.() ?? []).map(({ path }) => path))).size,
  };
}
