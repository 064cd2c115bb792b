import { join } from "node:path";
import { buildServices } from "../../build/build.ts";
import { manifestOf } from "../../build/manifest.ts";
import { writeBuild } from "../../build/write.ts";
import type { App } from "../../model/app.ts";
import type { EntryUses } from "../../model/uses.ts";
import { prepare } from "../build/prepare.ts";
import type { IO } from "../io.ts";
import { wantsColour } from "../print/colour.ts";
import { printRefusal } from "../test/refused.ts";

/** An application whose services are on disk. */
export interface BuiltApp {
  readonly app: App;
  readonly uses: readonly EntryUses[];
  /** The directory with a directory of each service. */
  readonly directory: string;
}

/** Builds the services, or prints what keeps them from being built. */
export async function buildOrExplain(root: string, io: IO): Promise<BuiltApp | undefined> {
  const prepared = await prepare(root, io);
  if (!prepared.sound) {
    io.out.write(printRefusal(root, prepared.diagnostics, wantsColour(io.out, io.env)));
    return undefined;
  }
  const { app, uses } = prepared.input;
  const services = await buildServices(prepared.input);
  await writeBuild(root, services, manifestOf(app, uses, services));
  return { app, uses, directory: join(root, ".fw", "build", "services") };
}
