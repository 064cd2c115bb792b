import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../../build/manifest.ts";
import type { App } from "../../model/app.ts";
import { refuseForPlatform } from "../build/refuse-for-platform.ts";
import { withCheckedWorkspace } from "../checked-app.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";

/** A checked application, before and after its build. */
export interface CheckedApp {
  readonly app: App;
  /** Returns the manifest as far as it is known before the build. */
  unbuilt(): Promise<Manifest>;
  /** Builds into a temporary directory, which `withApplication` deletes at its end. */
  build(): Promise<{ readonly manifest: Manifest; readonly directoryOf: (service: string) => string }>;
}

/** Reads and checks an application and passes it to `work`. If it has problems, prints them instead. */
export async function withApplication(
  root: string,
  io: IO,
  work: (checked: CheckedApp) => Promise<ExitCode>,
): Promise<ExitCode> {
  const directories: string[] = [];
  io.progress.step("checking the application");
  try {
    const code = await withCheckedWorkspace(root, io, async (workspace, app) => {
      await refuseForPlatform(app, "gcp", () => workspace.analyzer.uses());
      const { unbuiltManifest } = await import("../../build/unbuilt.ts");
      return work({
        app,
        unbuilt: async () => unbuiltManifest(app, "gcp", await workspace.analyzer.uses()),
        async build() {
          const { builtServices } = await import("../build/built-app.ts");
          const { writeOwnCheckedBuild } = await import("../build/write-checked.ts");
          const built = await builtServices(workspace, app, "gcp", io);
          const { manifest, directory } = await writeOwnCheckedBuild(root, built, io);
          directories.push(directory);
          return { manifest, directoryOf: (service) => join(directory, "services", service) };
        },
      });
    });
    return code ?? 1;
  } finally {
    for (const directory of directories) await rm(directory, { recursive: true, force: true });
  }
}
