import { devServerOf } from "../../workspace/announcement.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { sayWhileStopping, type StopRequests } from "../stop.ts";
import { ServicesLoop, type ServicesSettings } from "./loop.ts";

/** Runs every service in its own process and reloads changed ones, until the user stops. */
export async function runServices(place: ServicesSettings, stopping: StopRequests, io: IO): Promise<ExitCode> {
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
