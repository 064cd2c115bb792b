// Records which mutants' probes each test file reaches, and how long it takes, in the folder FW_REACHED.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";

const folder = process.env.FW_REACHED;

if (folder !== undefined) {
  const reachedIds = new Set();
  const start = performance.now();
  globalThis.reached = (...ids) => {
    for (const id of ids) reachedIds.add(id);
  };
  afterAll(() => {
    const file = expect.getState().testPath;
    const result = { file, ms: performance.now() - start, reached: [...reachedIds] };
    writeFileSync(join(folder, file.replaceAll(/[^\w.]/g, "_")), JSON.stringify(result));
  });
}
