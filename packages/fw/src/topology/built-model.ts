import { join } from "node:path";
import { checked, isRecord, number, object, type Codec } from "../lib/codec.ts";
import { ofVersion, readOwnFile } from "../lib/own-file.ts";
import type { App } from "../model/app.ts";
import type { EntryUses } from "../model/uses.ts";
import type { Grant } from "../platform/grants.ts";
import { platformGrants } from "./grants.ts";

/** What of a built application who runs all of its services has to know: the source is not read again for it. */
export interface BuiltModel {
  readonly version: typeof modelVersion;
  readonly app: App;
  /** What each service may do on the platform, by its name. */
  readonly grants: Readonly<Record<string, readonly Grant[]>>;
}

/** Raised with every change of the model: one of another fw is not read. */
const modelVersion = 1;

/** Beside a build's manifest. */
export const modelFile = "model.json";

export function modelText(app: App, uses: readonly EntryUses[]): string {
  const model: BuiltModel = { version: modelVersion, app, grants: Object.fromEntries(platformGrants(app, uses)) };
  return `${JSON.stringify(model)}\n`;
}

/** Its outline: a model of the same version is what this fw writes. */
const outline: Codec<BuiltModel> = object<BuiltModel>({
  version: number as Codec<typeof modelVersion>,
  app: checked(
    "an application",
    (app) =>
      isRecord(app) && typeof app["name"] === "string" && isRecord(app["types"]) && Array.isArray(app["packages"]),
  ),
  grants: checked("lists of grants", (grants) => isRecord(grants) && Object.values(grants).every(Array.isArray)),
});

/** The model in a directory; undefined where there is none, or one of another version. Throws a DamagedFile. */
export function readModel(directory: string): BuiltModel | undefined {
  return readOwnFile(join(directory, modelFile), ofVersion(modelVersion, outline));
}
