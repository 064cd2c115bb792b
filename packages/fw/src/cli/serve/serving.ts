import { join } from "node:path";
import { number, object, text } from "../../lib/codec.ts";
import { Announcement, type RunningServer } from "../../workspace/announcement.ts";

/** The addresses at which commands can reach the server that runs on a data directory. */
export interface Serving extends RunningServer {
  readonly platform: string;
}

const serving = object<Serving>({ port: number, host: text, pid: number, callKey: text, platform: text });

/**
 * Returns the announcement of the server that runs on a data directory. Only the process that opened the data writes
 * it, so there is at most one.
 */
export function serverOn(data: string): Announcement<Serving> {
  return new Announcement(join(data, "serving.json"), serving);
}
