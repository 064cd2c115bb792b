import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mintCall } from "../calls.ts";
import { openLocal } from "../local/open.ts";
import { conformance } from "../testing/conformance.ts";
import { openLoopback } from "./client.ts";
import { platformAudience } from "./protocol.ts";
import { serveLoopback } from "./server.ts";

const key = randomBytes(32);

conformance("a local platform that another process serves", async (definitions, clock) => {
  const directory = await mkdtemp(join(tmpdir(), "fw-loopback-"));
  const local = await openLocal(directory, definitions, { temporary: true, ...(clock && { clock }) });
  const served = await serveLoopback(local, {
    key,
    log: (...line) => {
      throw new Error(String(line));
    },
  });
  const token = mintCall(key, { audience: platformAudience, invoker: "web" }, Date.now() + 600_000);
  return {
    platform: { ...openLoopback({ url: served.url, token: () => token }), dispatcher: local.dispatcher },
    dispose: async () => {
      await served.close();
      await local.close();
      await rm(directory, { recursive: true });
    },
  };
});
