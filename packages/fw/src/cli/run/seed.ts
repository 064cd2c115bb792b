import { existsSync } from "node:fs";
import { Refusal } from "../command.ts";
import { localPlaceOf } from "../data/local-or-deployed.ts";
import type { IO } from "../io.ts";
import { servicesDirectory } from "../../workspace/branch-data.ts";
import { requireSeed } from "./declared.ts";
import { refusalOf, withServer } from "./server.ts";

/** Runs one seed or all. Returns the names of the seeds that ran; undefined if one failed. */
export async function runSeed(name: string | undefined, io: IO): Promise<readonly string[] | undefined> {
  const place = await localPlaceOf({ data: undefined }, io);
  if (place.serving !== undefined || existsSync(servicesDirectory(place.directory)))
    throw new Refusal(`fw serve has used the data in ${place.directory}; seeds are for development and tests`);
  if (io.env["NODE_ENV"] === "production")
    throw new Refusal("NODE_ENV is production; seeds are for development and tests");
  await requireSeed(place, name);
  return withServer(place, io, async (server) => {
    const answer = await server.post(`dev/operate/seeds/${encodeURIComponent(name ?? "")}`);
    if (answer.status === 500) return undefined;
    if (answer.status === 404)
      throw new Refusal("services built from the application have no seeds: stop fw dev --services first");
    if (answer.status !== 200) throw refusalOf(answer);
    if (server.temporary) await server.post("dev/operate/idle");
    return answer.body as readonly string[];
  });
}
