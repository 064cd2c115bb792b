import { expect, test } from "vitest";
import { returnMemory } from "./return-memory.ts";

test("what the environment says of the allocator holds", () => {
  const [unsaid, said]: [NodeJS.ProcessEnv, NodeJS.ProcessEnv] = [{}, { MIMALLOC_PURGE_DELAY: "50" }];
  returnMemory(unsaid);
  returnMemory(said);
  expect(unsaid).toEqual({ MIMALLOC_PURGE_DELAY: "0" });
  expect(said).toEqual({ MIMALLOC_PURGE_DELAY: "50" });
});
