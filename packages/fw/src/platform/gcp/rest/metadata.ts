import type { Connections } from "./connections.ts";
import { targetOf } from "./hosts.ts";
import { Retries } from "./retry.ts";
import { textAnswer } from "./text-answer.ts";

/** Timeout for the metadata server, in milliseconds. */
const answerMs = 3_000;

/** Reads a path below `computeMetadata/v1` from the metadata server, such as `project/project-id`. */
export type Metadata = (path: string) => Promise<string>;

/** Returns a reader for the machine's metadata server, or for the one in `GCE_METADATA_HOST`. */
export function readMetadata(env: Readonly<Record<string, string | undefined>>, connections: Connections): Metadata {
  const host = env["GCE_METADATA_HOST"] || "metadata.google.internal";
  const target = targetOf(new URL(/^https?:/.test(host) ? host : `http://${host}`));
  const retries = new Retries();

  const ask = async (path: string): Promise<string> => {
    const request = `GET ${target.host}/computeMetadata/v1/${path.replace(/\?.*/s, "")}`;
    const headers = { "metadata-flavor": "Google" };
    const outgoing = { target, method: "GET", path: `/computeMetadata/v1/${path}`, headers, answerMs };
    return (await textAnswer(connections, outgoing, request)).trim();
  };

  return (path) => retries.repeat({ repeatable: true }, () => ask(path));
}
