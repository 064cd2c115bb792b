import { CloudError, refusedError, unansweredError } from "./cloud-error.ts";
import { Unanswered, type Connections } from "./connections.ts";
import { targetOf } from "./hosts.ts";
import { Retries } from "./retry.ts";
import { wholeText } from "./whole-text.ts";

/** Milliseconds that the metadata server may take for an answer. */
const answerMs = 3_000;

/** Asks the metadata server: a path below `computeMetadata/v1`, such as `project/project-id`. */
export type Metadata = (path: string) => Promise<string>;

/** The metadata server of the machine, or the one that `GCE_METADATA_HOST` names. */
export function readMetadata(env: Readonly<Record<string, string | undefined>>, connections: Connections): Metadata {
  const host = env["GCE_METADATA_HOST"] || "metadata.google.internal";
  const target = targetOf(new URL(/^https?:/.test(host) ? host : `http://${host}`));
  const retries = new Retries();

  const ask = async (path: string): Promise<string> => {
    const request = `GET ${target.host}/computeMetadata/v1/${path.replace(/\?.*/s, "")}`;
    const answer = await connections
      .send({
        target,
        method: "GET",
        path: `/computeMetadata/v1/${path}`,
        headers: { "metadata-flavor": "Google" },
        answerMs,
      })
      .catch((error: unknown) => {
        throw error instanceof Unanswered ? unansweredError(request, error, false) : error;
      });
    const said = await wholeText(answer.body);
    if (answer.status !== 200) throw refusedError(request, { ...answer, text: said });
    return said.trim();
  };

  return async (path) => {
    const since = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask(path);
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        await retries.pause(error, attempt, since, { repeatable: true });
      }
    }
  };
}
