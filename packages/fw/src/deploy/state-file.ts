import { stateBucketName, stateFolder } from "../platform/gcp/names.ts";
import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud } from "./deploy-cloud.ts";
import { textOf, type Fields } from "./fields.ts";

/** A state file in the project's bucket, with its generation; "0" if there is none. */
export interface StateFile<Content> {
  readonly content: Content | undefined;
  readonly generation: string;
}

export async function readState<Content>(name: string, cloud: DeployCloud): Promise<StateFile<Content>> {
  const path = pathOf(name, cloud);
  for (;;) {
    const facts = await cloud.find({ api: "storage", method: "GET", path });
    if (!facts) return { content: undefined, generation: "0" };
    const generation = textOf(facts["generation"]);
    const query = { alt: "media", generation };
    const content = await cloud.find({ api: "storage", method: "GET", path, query });
    // Another deploy has written the file in the meantime, so read it again.
    if (content) return { content: content as Content, generation };
  }
}

/** Writes a file if its generation is unchanged; returns the new generation, or undefined on a conflict. */
export async function writeState(
  name: string,
  content: unknown,
  generation: string,
  cloud: DeployCloud,
): Promise<string | undefined> {
  const query = { uploadType: "media", name: objectOf(name, cloud), ifGenerationMatch: generation };
  const path = `/upload/storage/v1/b/${stateBucketName(cloud.place)}/o`;
  try {
    const made = await cloud.call<Fields>({ api: "storage", method: "POST", path, query, body: content });
    return textOf(made["generation"]);
  } catch (error) {
    if (!(error instanceof CloudError) || !(error.status === 412 || error.unknownEffect)) throw error;
    // If the response to a write was lost, the file shows whether the write took effect.
    const now = await readState(name, cloud);
    if (now.generation !== generation && JSON.stringify(now.content) === JSON.stringify(content)) return now.generation;
    return error.status === 412 ? undefined : writeState(name, content, generation, cloud);
  }
}

/** Deletes a file if its generation is unchanged. */
export async function deleteState(name: string, generation: string, cloud: DeployCloud): Promise<void> {
  const query = { ifGenerationMatch: generation };
  await cloud.find({ api: "storage", method: "DELETE", path: pathOf(name, cloud), query }).catch((error: unknown) => {
    if (!(error instanceof CloudError) || error.status !== 412) throw error;
  });
}

function objectOf(name: string, { place }: DeployCloud): string {
  return `${stateFolder(place)}/${name}`;
}

function pathOf(name: string, cloud: DeployCloud): string {
  return `/storage/v1/b/${stateBucketName(cloud.place)}/o/${encodeURIComponent(objectOf(name, cloud))}`;
}
