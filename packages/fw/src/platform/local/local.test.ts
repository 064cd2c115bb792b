import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conformance } from "../testing/conformance.ts";
import { openLocal } from "./open.ts";

conformance(
  "the local platform",
  async (definitions, clock) => {
    const directory = await mkdtemp(join(tmpdir(), "fw-local-"));
    const platform = await openLocal(directory, definitions, clock === undefined ? {} : { clock });
    return { platform, dispose: () => rm(directory, { recursive: true }) };
  },
  { redefines: true, versions: true },
);
