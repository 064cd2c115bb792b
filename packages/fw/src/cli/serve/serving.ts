import { join } from "node:path";
import { Announcement, type Running } from "../../workspace/running.ts";

/** How commands reach the server that runs on some data. */
export interface Serving extends Running {
  /** The origin at which it serves the platform. */
  readonly platform: string;
}

/** Of the server that runs on some data. Who opened the data writes it, so that there is no other. */
export function serverOn(data: string): Announcement<Serving> {
  return new Announcement(join(data, "serving.json"));
}
