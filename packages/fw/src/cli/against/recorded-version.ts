import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSchema, recordedSchema, type RecordedSchema } from "../../evolution/recorded.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { withCheckout } from "./checkout.ts";

/**
 * Returns the schema of another version: the recorded one of a build or a data directory, or that of an application's
 * source, in a directory or at a git ref.
 */
export async function recordedVersion(root: string, against: string, io: IO): Promise<RecordedSchema> {
  const directory = resolve(io.cwd, against);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    return withCheckout(root, against, (source) => schemaOf(source, io));
  const schema = readSchema(directory) ?? readSchema(join(directory, "services"));
  if (schema !== undefined) return schema;
  if (existsSync(join(directory, "package.json"))) return schemaOf(directory, io);
  throw new Refusal(
    `${against} has no recorded schema: name a build ("fw build" makes .fw/build), a data directory of "fw serve" or "fw dev", a project, or a git ref`,
  );
}

/** Reads the schema of an application's source; problems of that version are not reported. */
async function schemaOf(root: string, io: IO): Promise<RecordedSchema> {
  const { Workspace } = await import("../../workspace/workspace.ts");
  const workspace = new Workspace({ root, env: io.env });
  try {
    const { app } = await workspace.read({ types: false });
    return recordedSchema(app);
  } finally {
    workspace.close();
  }
}
