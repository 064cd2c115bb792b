import { join } from "node:path";
import { findRunning } from "../../workspace/running.ts";
import type { App } from "../../model/app.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import { Refusal } from "../command.ts";
import { soundApp } from "../sound.ts";
import { definitionsOfModel } from "./definitions.ts";

/** An application and its data on this machine. */
export interface AppData {
  readonly app: App;
  readonly platform: LocalPlatform;
}

/** Works on the data of an application while no server does. Refuses while a rule stands, or the dev server runs. */
export async function withData<T>(root: string, work: (data: AppData) => Promise<T>): Promise<T> {
  const app = await soundApp(root);
  const platform = await openData(root, app);
  try {
    return await work({ app, platform });
  } finally {
    await platform.close();
  }
}

/** Opens the data of an application. Refuses while a server works on it. */
export async function openData(root: string, app: App): Promise<LocalPlatform> {
  try {
    return await openLocal(join(root, ".fw", "data"), definitionsOfModel(app));
  } catch (error) {
    throw refusalOf(error, root);
  }
}

/** What a person is told of data that could not be opened; `root` is the application whose it is. */
export function refusalOf(error: unknown, root: string | undefined): unknown {
  if (isPlatformError(error, "data")) return new Refusal(error.message);
  if (!isPlatformError(error, "locked")) return error;
  const port = root === undefined ? undefined : findRunning(root)?.port;
  const server = port === undefined ? "a server" : `the dev server on port ${port}`;
  return new Refusal(`${server} is working on this data; stop it first`);
}
