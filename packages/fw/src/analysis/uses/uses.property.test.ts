import * as fc from "fast-check";
import { expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";
import { callGraphs, textOf, transactingOf, truthOf, type CallGraph } from "../testing/call-graph-app.ts";
import { tries } from "../../lib/testing/tries.ts";

const bench = useAppBench();

async function derived(graph: CallGraph): Promise<Readonly<Record<string, readonly string[]>>> {
  const { diagnostics } = await bench.analyze(textOf(graph));
  expect(diagnostics).toEqual([]);
  const found = await bench.uses();
  return Object.fromEntries(
    found.map(({ variable, uses }) => [
      variable,
      uses.map(({ kind, name, operation }) => `${kind} ${name} ${operation}`).toSorted(),
    ]),
  );
}

test("what a handler uses is exactly what its code can reach", async () => {
  await fc.assert(
    fc.asyncProperty(callGraphs(false), async (graph) => {
      expect(await derived(graph)).toEqual(truthOf(graph));
      const transacting = (await bench.uses()).filter(({ transacts }) => transacts);
      expect(transacting.map(({ variable }) => variable).toSorted()).toEqual(transactingOf(graph));
    }),
    { numRuns: tries(40) },
  );
});

test("passing resources around never derives less", async () => {
  await fc.assert(
    fc.asyncProperty(callGraphs(true), async (graph) => {
      const found = await derived(graph);
      for (const [handler, uses] of Object.entries(truthOf(graph))) {
        expect(uses.filter((use) => !found[handler]?.includes(use))).toEqual([]);
      }
    }),
    { numRuns: tries(40) },
  );
});
