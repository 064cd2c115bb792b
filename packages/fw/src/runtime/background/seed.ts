import { StatusError } from "../../declare/errors.ts";
import { messages } from "../error-messages.ts";
import type { BackgroundPorts, Wiring } from "../application.ts";
import type { BundledSeed } from "../bundle.ts";
import type { InjectedEndpoints } from "../routing/injected-endpoint.ts";
import { BackgroundContext } from "./context.ts";
import { operation } from "./operation.ts";

/** Runs the seed named in the rest of the path, or all seeds. Responds with the names of the seeds that ran. */
export const seedOperation: InjectedEndpoints = {
  "dev/operate/seeds/": operation(async ({ app }, name) => {
    const seeds = (app.bundle.seeds ?? []).filter((seed) => name === "" || seed.name === name);
    if (name !== "" && seeds.length === 0) throw new StatusError(404, messages.notFound);
    return runSeeds(app, seeds);
  }),
};

/** Runs seeds one after the other and returns their names. Rejects with the first failure. */
export async function runSeeds(
  app: BackgroundPorts & Wiring,
  seeds: readonly BundledSeed[],
): Promise<readonly string[]> {
  for (const { declaration, name, package: index } of seeds) {
    const ctx = new BackgroundContext(app, {
      tags: { seed: name },
      id: `seed-${name}`,
      signal: new AbortController().signal,
      service: app.bundle.packages[index]?.service ?? "",
    });
    try {
      await declaration.body(ctx);
    } catch (error) {
      ctx.log.error("the seed failed", { error });
      throw error;
    }
  }
  return seeds.map(({ name }) => name);
}
