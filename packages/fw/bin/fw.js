#!/usr/bin/env node
import module from "node:module";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`fw: this is Node ${process.versions.node}; fw needs 20.19 or newer\n`);
  process.exit(2);
}

// The compile cache is next to the code, so that only users who can change the code can write to it. If the directory
// is not writable, Node runs without a cache.
module.enableCompileCache?.(fileURLToPath(new URL("../.cache", import.meta.url)));
const { main } = await import("../dist/bundled/main.js");
const { processIO } = await import("../dist/bundled/io.js");
process.exitCode = await main(process.argv.slice(2), processIO());
// Exits even if a command left something open, such as a socket or a timer.
setTimeout(() => process.exit(), 2_000).unref();
