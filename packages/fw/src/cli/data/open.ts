import type { App } from "../../model/app.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import { definitionsOfModel } from "./definitions.ts";
import { refusalOf } from "./refusal.ts";

/** Opens the data of an application, which is at `root` where it is its own. Refuses while a server works on it. */
export async function openData(directory: string, app: App, root?: string): Promise<LocalPlatform> {
  try {
    return await openLocal(directory, definitionsOfModel(app));
  } catch (error) {
    throw refusalOf(error, root);
  }
}
