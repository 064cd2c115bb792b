import { join } from "node:path";
import { number, object, text } from "../../lib/codec.ts";
import { Announcement, type RunningServer } from "../../workspace/announcement.ts";

/** How commands reach the server that runs on some data. */
export interface Serving extends RunningServer {
  /** The origin at which it serves the platform. */
  readonly platform: string;
}

const serving = object<Serving>({ port: number, host: text, pid: number, callKey: text, platform: text });

/** Of the server that runs on some data. Who opened the data writes it, so that there is no other. */
export function serverOn(data: string): Announcement<Serving> {
  return new Announcement(join(data, "serving.json"), serving);
}
