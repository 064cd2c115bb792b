import { join } from "node:path";
import type { Manifest } from "../../build/manifest.ts";
import type { App } from "../../model/app.ts";
import { withCheckedWorkspace } from "../sound.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";

/** An application in which nothing is wrong, before and after it is built. */
export interface CheckedApp {
  readonly app: App;
  /** What its manifest says before it is built. */
  unbuilt(): Promise<Manifest>;
  build(): Promise<{ readonly manifest: Manifest; readonly directoryOf: (service: string) => string }>;
}

/** Reads and checks an application, and hands it on; while anything is wrong, the problems are printed. */
export async function withApplication(
  root: string,
  io: IO,
  work: (checked: CheckedApp) => Promise<ExitCode>,
): Promise<ExitCode> {
  const code = await withCheckedWorkspace(root, io, async (workspace, app) => {
    const { unbuiltManifest } = await import("../../build/unbuilt.ts");
    return work({
      app,
      unbuilt: async () => unbuiltManifest(app, "gcp", await workspace.uses()),
      async build() {
        const { builtServices } = await import("../build/built-app.ts");
        const { writeCheckedBuild } = await import("../build/write-checked.ts");
        const manifest = await writeCheckedBuild(root, await builtServices(workspace, app, "gcp"), io);
        return { manifest, directoryOf: (service) => join(root, ".fw/build/services", service) };
      },
    });
  });
  return code ?? 1;
}
