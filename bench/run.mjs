// `npm run bench`: runs these measurements, one after the other. The other benchmarks run on their own.
import { execFileSync } from "node:child_process";
import { cpus, release } from "node:os";
import { fileURLToPath } from "node:url";

const measurements = [
  ["Requests, Node 24", "requests.mjs", "--node", "24"],
  ["Requests, Node 20", "requests.mjs", "--node", "20"],
  ["The whole machine", "machine.mjs"],
  ["Cold start", "cold-start.mjs"],
  ["fw check", "check.mjs"],
  ["Save to serving", "dev-loop.mjs"],
  ["Embedded store", "store.mjs"],
  ["Messages", "messages.mjs"],
  ["Objects", "objects.mjs"],
  ["PostgreSQL", "postgres.mjs"],
];

console.log(`${cpus().length} x ${cpus()[0]?.model}, Linux ${release()}`);
for (const [title, file, ...options] of measurements) {
  console.log(`\n## ${title}\n`);
  const path = fileURLToPath(new URL(file, import.meta.url));
  execFileSync(process.execPath, [path, ...options], { stdio: "inherit" });
}
