#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`fw: this is Node ${process.versions.node}; fw needs 20.19 or newer\n`);
  process.exit(2);
}

const { main } = await import("../dist/bundled/main.js");
const { processIO } = await import("../dist/bundled/io.js");
process.exitCode = await main(process.argv.slice(2), processIO());
