import { join } from "node:path";
import { checked, number, object, type Codec } from "../lib/codec.ts";
import { ofVersion, readOwnFile } from "../lib/own-file.ts";
import { isRecord } from "../lib/record-in.ts";
import type { App } from "../model/app.ts";
import type { EntryUses } from "../model/uses.ts";
import type { PlatformGrant } from "../platform/grants.ts";
import { platformGrants } from "./grants.ts";

/** The model of a built application, for a process that runs all of its services without reading the source. */
export interface BuiltModel {
  readonly version: typeof modelVersion;
  readonly app: App;
  /** Each service's platform grants, by the service's name. */
  readonly grants: Readonly<Record<string, readonly PlatformGrant[]>>;
}

/** The version of the model's format, incremented with every change. Models of other versions are not read. */
const modelVersion = 1;

/** The name of the model's file, in the directory of a build's manifest. */
export const modelFile = "model.json";

/** The name of the file with the dashboard's model, in the directory of a build's manifest. */
export const consoleFile = "console.json";

export function modelText(app: App, uses: readonly EntryUses[]): string {
  const model: BuiltModel = { version: modelVersion, app, grants: Object.fromEntries(platformGrants(app, uses)) };
  return `${JSON.stringify(model)}\n`;
}

/** The codec of a model. It checks only the top level, because fw writes the file and the version fixes its format. */
const outline: Codec<BuiltModel> = object<BuiltModel>({
  version: number as Codec<typeof modelVersion>,
  app: checked(
    "an application",
    (app) =>
      isRecord(app) && typeof app["name"] === "string" && isRecord(app["types"]) && Array.isArray(app["packages"]),
  ),
  grants: checked("lists of grants", (grants) => isRecord(grants) && Object.values(grants).every(Array.isArray)),
});

/**
 * Reads the model in a directory; undefined if there is none or its version differs. Throws a DamagedFile if its
 * content is wrong.
 */
export function readModel(directory: string): BuiltModel | undefined {
  return readOwnFile(join(directory, modelFile), ofVersion(modelVersion, outline));
}
