import { devServerOf } from "../../workspace/announcement.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { sayWhileStopping, type StopRequests } from "../stop.ts";
import type { ServicesPlace } from "./launch.ts";
import { ServicesLoop } from "./loop.ts";

/** Runs every service in a process of its own until it is told to stop, and follows the files that they are made of. */
export async function runServices(place: ServicesPlace, stopping: StopRequests, io: IO): Promise<ExitCode> {
  const loop = new ServicesLoop(place, io);
  void stopping.second.then(() => loop.kill());
  try {
    await Promise.race([loop.run(), stopping.first]);
  } finally {
    devServerOf(place.root).withdraw();
    await sayWhileStopping(loop.stop(), io);
  }
  return 0;
}
