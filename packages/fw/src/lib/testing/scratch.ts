import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates a directory for the current test. */
export async function scratch(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "fw-scratch-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
