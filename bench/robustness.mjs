// The service under hostile, slow and many clients, signals and crashes, tested from outside: one row per limit.
import { parseArgs } from "node:util";
import { clients, beginSlowClients } from "./robustness/rows/clients.mjs";
import { complexity } from "./robustness/rows/complexity.mjs";
import { data } from "./robustness/rows/data.mjs";
import { files } from "./robustness/rows/files.mjs";
import { forms } from "./robustness/rows/forms.mjs";
import { leaks } from "./robustness/rows/leaks.mjs";
import { limits } from "./robustness/rows/limits.mjs";
import { smuggling } from "./robustness/rows/smuggling.mjs";
import { stopping } from "./robustness/rows/stopping.mjs";
import { uploads } from "./robustness/rows/uploads.mjs";
import { endAll, startDev, startServer } from "./robustness/process.mjs";
import { openWorkspace } from "./robustness/workspace.mjs";

const { values: options } = parseArgs({ options: { only: { type: "string", default: "" } } });
const all = [clients, smuggling, limits, data, forms, files, uploads, complexity, leaks, stopping].flat();
const rows = all.filter(({ name }) => name.includes(options.only));

const workspace = await openWorkspace();
process.on("exit", () => {
  endAll();
  workspace.remove();
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));

// The server takes a minute to disconnect these clients; the other rows run at the same time.
const slow = rows.some(({ name }) => name.includes("slow clients")) ? await beginSlowClients(workspace) : undefined;
await slow?.others;
const [server, dev] = [await startServer(workspace), await startDev(workspace)];
const results = [];
for (const row of rows.filter((each) => !isLate(each))) results.push(await measure(row));
for (const row of rows.filter((each) => each.last)) results.push(await measure(row));
await Promise.all([server.kill(), dev.kill()]);
// These rows start their own `fw dev`, and an application can have only one.
for (const row of rows.filter((each) => each.after === "dev")) results.push(await measure(row));

print(results);
process.exit(results.every(({ ok }) => ok) ? 0 : 1);

function isLate({ last, after }) {
  return last === true || after === "dev";
}

async function measure(row) {
  const started = performance.now();
  const { measured, ok } = await row
    .run({ workspace, server, dev, slow })
    .catch((error) => ({ measured: String(error.stack).slice(0, 400), ok: false }));
  process.stderr.write(
    `${ok ? "ok  " : "MISS"} ${row.name}: ${measured} [${((performance.now() - started) / 1000).toFixed(1)} s]\n`,
  );
  return { ...row, measured, ok };
}

function print(table) {
  process.stdout.write(`\nnode ${process.version}\n\n| what | bound | measured | |\n| --- | --- | --- | --- |\n`);
  for (const { name, bound, measured, ok } of table)
    process.stdout.write(
      `| ${name} | ${bound} | ${measured.replaceAll("|", "\\|").replaceAll("\n", " ")} | ${ok ? "ok" : "MISSED"} |\n`,
    );
}
