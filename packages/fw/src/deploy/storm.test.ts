import { expect, test } from "vitest";
import { preflight } from "./preflight/preflight.ts";
import { addFaults, deployOnce, randomResources } from "./testing/deploys.ts";
import { testProject } from "./testing/project.ts";
import { Seeded } from "./testing/random.ts";
import { recorded } from "./testing/recorded.ts";

const tries = Number(process.env["FW_TRIES"] ?? 1);
const firstSeed = Number(process.env["FW_SEED"] ?? 3);
const seeds = Array.from({ length: tries }, (_, at) => firstSeed + at);

/** The maximum duration of a run, in minutes. */
const bound = 20;

/** The maximum number of runs until everything is done. A step fails after its call was retried for ten minutes. */
const runs = 8;

test.each(seeds)(
  "a deploy in a storm, in which every call can fail, ends and converges (seed %i)",
  async (seed) => {
    const project = await testProject(seed, { newProject: "console" });
    Object.assign(project.fake.cloud.delays, { enable: 20_000, spread: 30_000, agent: 5_000, account: 30_000 });
    for (const api of ["run", "secretmanager"]) project.fake.cloud.switchedOn?.add(`${api}.googleapis.com`);
    const resources = randomResources(new Seeded(seed), 0.12, project);
    const needs = {
      secrets: [],
      social: false,
      indexes: [],
      entities: [],
      keepsDocuments: false,
      changesSince: () => [],
      domains: [],
    };
    addFaults(project, 1.5);
    for (let run = 1; ; run++) {
      const since = project.fake.clock.now();
      const client = recorded(project.client);
      const looked = preflight({ ...needs, isPublic: true, resources: () => resources }, project.open(client), {
        who: "",
        adopt: false,
      });
      expect(await looked, `seed ${seed}`).toEqual([]);
      const outcome = await deployOnce(project, resources, { client, options: { pruneData: true } }).catch(
        (error: unknown) => error as Error,
      );
      expect((project.fake.clock.now() - since) / 60_000, `seed ${seed}, run ${run}`).toBeLessThan(bound);
      // Waits until the lock of a failed run has expired.
      await project.fake.clock.advance(61_000);
      if (!(outcome instanceof Error) && (outcome.result === "done" || outcome.result === "unchanged")) break;
      if (run === runs)
        throw outcome instanceof Error
          ? outcome
          : (outcome.outcomes.find(({ error }) => error)?.error ?? new Error(outcome.result));
    }
  },
  120_000,
);
