import type { App } from "../../model/app.ts";
import type { Definitions, KindDefinition } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { copyIfNew } from "../../platform/local/backup/copy.ts";
import { openLocal, type LocalOptions, type LocalPlatform } from "../../platform/local/open.ts";
import type { DataLocation } from "../../workspace/branch-data.ts";
import { devServerOf } from "../../workspace/announcement.ts";
import { Refusal } from "../command.ts";
import { refuseDatabaseMark } from "./database-mark.ts";
import { definitionsOfModel } from "../../topology/definitions.ts";

interface OpenDataOptions extends Pick<LocalOptions, "signal" | "warn" | "note"> {
  /** The directory of the application that owns the data. */
  readonly root?: string | undefined;
  /** Kinds of documents that only fw uses. */
  readonly frameworkKinds?: readonly KindDefinition[];
}

/** Opens the data of an application. Refuses data that a server uses or that is in a database. */
export async function openData(
  { directory, copyOf }: DataLocation,
  app: App,
  { root, frameworkKinds = [], ...options }: OpenDataOptions = {},
): Promise<LocalPlatform> {
  refuseDatabaseMark(directory, "start fw serve with --database here first; commands work through it");
  try {
    if (copyOf !== undefined) await copyIfNew(copyOf, directory);
    return await openLocal(directory, withFrameworkKinds(definitionsOfModel(app), frameworkKinds), options);
  } catch (error) {
    throw refusalOf(error, root);
  }
}

export function withFrameworkKinds(definitions: Definitions, kinds: readonly KindDefinition[]): Definitions {
  return { ...definitions, kinds: [...definitions.kinds, ...kinds] };
}

/**
 * Returns a Refusal if the error says that data cannot be opened; returns other errors unchanged. `root` is the
 * directory of the application that owns the data.
 */
export function refusalOf(error: unknown, root: string | undefined): unknown {
  if (isPlatformError(error, "data")) return new Refusal(error.message);
  if (!isPlatformError(error, "locked")) return error;
  const port = root === undefined ? undefined : devServerOf(root).find()?.port;
  const server = port === undefined ? "a server" : `the dev server on port ${port}`;
  return new Refusal(`${server} is using this data; stop it first`);
}
