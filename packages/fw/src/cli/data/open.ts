import { join } from "node:path";
import type { App } from "../../model/app.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import { definitionsOfModel } from "./definitions.ts";
import { refusalOf } from "./refusal.ts";

/** Opens the data of an application. Refuses while a server works on it. */
export async function openData(root: string, app: App): Promise<LocalPlatform> {
  try {
    return await openLocal(join(root, ".fw", "data"), definitionsOfModel(app));
  } catch (error) {
    throw refusalOf(error, root);
  }
}
