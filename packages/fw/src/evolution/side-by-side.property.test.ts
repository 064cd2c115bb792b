import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tries } from "../lib/testing/tries.ts";
import type { Definitions } from "../platform/contract.ts";
import { versionedPlatform } from "../platform/gcp/testing/versioned-platform.ts";
import { openLocal } from "../platform/local/open.ts";
import { emptyPlatform } from "../platform/postgres/testing/platform.ts";
import { hasPostgres, startServer, type TestServer } from "../platform/postgres/testing/server.ts";
import {
  needsDecision,
  runSideBySide,
  versionPairs,
  type PairOutcome,
  type VersionedPlatform,
  type VersionPair,
} from "./testing/side-by-side.ts";

/** The number of pairs that share a store. */
const pairsAtOnce = 25;

/** Opens an empty store. */
type OpenStore = (definitions: Definitions) => Promise<{ platform: VersionedPlatform; dispose(): Promise<void> }>;

async function checkPairs(what: string, stores: number, open: OpenStore): Promise<void> {
  const outcomes: PairOutcome[] = [];
  const run = async (pairs: readonly VersionPair[]): Promise<readonly PairOutcome[]> => {
    const stores: Awaited<ReturnType<OpenStore>>[] = [];
    try {
      return await runSideBySide(async (definitions) => {
        const store = await open(definitions);
        stores.push(store);
        return store.platform;
      }, pairs);
    } finally {
      for (const store of stores) {
        await store.platform.close();
        await store.dispose();
      }
    }
  };
  // Include at least one pair of each verdict.
  const all = fc
    .tuple(
      versionPairs.filter(needsDecision),
      versionPairs.filter((pair) => !needsDecision(pair)),
      fc.array(versionPairs, { minLength: pairsAtOnce - 2, maxLength: pairsAtOnce - 2 }),
    )
    .map(([deciding, compatible, others]) => [deciding, compatible, ...others]);
  // Shrinking would take thousands of stores. Run the pairs one by one to find the one that fails.
  const property = fc.asyncProperty(all, async (pairs) => {
    try {
      outcomes.push(...(await run(pairs)));
    } catch (error) {
      const alone = await Promise.allSettled(pairs.map((pair) => run([pair])));
      const failing = pairs.filter((_, i) => alone[i]?.status === "rejected");
      throw new Error(`these pairs fail: ${fc.stringify(failing)}`, { cause: error });
    }
  });
  const seed = Number(process.env["FW_SEED"] ?? Date.now() % 1e9);
  await fc.assert(property, { numRuns: tries(stores), endOnFailure: true, seed });
  const decisions = outcomes.filter(({ isCompatible }) => !isCompatible);
  const neededDecisions = decisions.filter(({ isRefused }) => isRefused);
  if (tries(1) > 1)
    process.stdout.write(
      `${what}, FW_SEED=${seed}: ${outcomes.length} pairs, ${decisions.length} decisions, ${neededDecisions.length} needed in the run\n`,
    );
  expect(Math.min(decisions.length, outcomes.length - decisions.length)).toBeGreaterThan(0);
}

test("old and new code on one local store read their types, miss no document and lose no message", async () => {
  await checkPairs("local", 8, async (definitions) => {
    const directory = mkdtempSync(join(tmpdir(), "fw-versions-"));
    const platform = await openLocal(directory, definitions, { temporary: true });
    return { platform, dispose: async () => rmSync(directory, { recursive: true }) };
  });
});

test("old and new revisions on the fake cloud read their types, miss no document and lose no message", async () => {
  await checkPairs("fake cloud", 1, async (definitions) => {
    return { platform: await versionedPlatform(definitions), dispose: async () => {} };
  });
});

describe("on PostgreSQL", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());

  test("old and new code of machines read their types, miss no document and lose no message", async () => {
    await checkPairs("PostgreSQL", 1, async (definitions) => {
      const store = await emptyPlatform(server, definitions, undefined);
      return { platform: store.platform as VersionedPlatform, dispose: () => store.dispose() };
    });
  });
});
