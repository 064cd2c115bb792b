import { cpSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownDirectory } from "../../../lib/own-modules.ts";

/** The kinds of declarations that the self-check does not cover, with the reasons. */
export const notCovered: readonly string[] = [
  "Secret, Channel: fw never creates a secret",
  "Auth: Identity Platform cannot be disabled again",
  "Service domain: needs a domain that is yours",
  "Singleton: its instance runs, and costs money, all the time",
];

/** The kinds of marks that handlers leave after `POST /begin`. The cron leaves its mark when it is triggered. */
export const marksOfBegin: readonly string[] = ["queue", "topic", "upload", "job"];

export const appName = "fw-check";

/** Copies the application to a temporary directory, where `fw` resolves to this installation. */
export function writeCheckApplication(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "fw-self-check-")));
  const templates = join(ownDirectory, "../templates");
  cpSync(join(templates, "self-check"), root, { recursive: true });
  cpSync(join(templates, "common/tsconfig.json"), join(root, "tsconfig.json"));
  writeFileSync(join(root, "package.json"), `{ "name": "${appName}", "type": "module" }\n`);
  mkdirSync(join(root, "node_modules"));
  symlinkSync(join(ownDirectory, ".."), join(root, "node_modules/fw"), "junction");
  return root;
}
