#!/usr/bin/env node
import module from "node:module";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`fw: this is Node ${process.versions.node}; fw needs 20.19 or newer\n`);
  process.exit(2);
}

// Beside the code itself, where nobody writes who could not change the code; Node goes without where it cannot write there.
module.enableCompileCache?.(fileURLToPath(new URL("../.cache", import.meta.url)));
const { main } = await import("../dist/bundled/main.js");
const { processIO } = await import("../dist/bundled/io.js");
process.exitCode = await main(process.argv.slice(2), processIO());
// Nothing that a command left behind, such as a socket or a timer, keeps it from ending.
setTimeout(() => process.exit(), 2_000).unref();
