import { join } from "node:path";
import { readJSON } from "../lib/read-file.ts";
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

/** The model in a directory; undefined where there is none, or one of another version. */
export function readModel(directory: string): BuiltModel | undefined {
  const model = readJSON(join(directory, modelFile)) as BuiltModel | undefined;
  return model?.version === modelVersion ? model : undefined;
}
