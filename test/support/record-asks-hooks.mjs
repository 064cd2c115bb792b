const recordingSource = `
import { appendFileSync, readFileSync } from "node:fs";
const withheld = () => {
  try {
    return readFileSync(process.env.FW_TEST_WITHHELD, "utf8");
  } catch {
    return "";
  }
};
function checkGrants(service, grants, asked) {
  const taken = withheld();
  const left = grants.filter(({ kind, name, operation }) => taken !== service + " " + kind + " " + name + ": " + operation);
  for (const each of asked)
    appendFileSync(
      process.env.FW_TEST_ASKS,
      JSON.stringify({ service, covering: grants.filter((grant) => isGranted([grant], each)) }) + "\\n",
    );
  check(service, left, asked);
}
`;

const grantSource = `
import { appendFileSync } from "node:fs";
export function platformGrants(app, uses) {
  const all = granted(app, uses);
  for (const [service, grants] of all) appendFileSync(process.env.FW_TEST_ASKS, JSON.stringify({ service, grants }) + "\\n");
  return all;
}
`;

/** Runs the command line from its modules, because the bundle does not contain separate modules to replace. */
export async function resolve(specifier, context, nextResolve) {
  return nextResolve(specifier.replace(/^\.\.\/dist\/bundled\/(main|io)\.js$/, "../dist/cli/$1.js"), context);
}

/** Wraps the functions that check and issue grants, to record their work and to deny a grant withheld by a test. */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (url.endsWith("/dist/platform/loopback/server.js"))
    return { ...loaded, source: renamed(loaded, "function checkGrants(", "function check(") + recordingSource };
  if (url.endsWith("/dist/topology/grants.js"))
    return { ...loaded, source: renamed(loaded, "export function platformGrants(", "function granted(") + grantSource };
  return loaded;
}

function renamed({ source }, head, own) {
  const text = String(source);
  if (!text.includes(head)) throw new Error(`no module has "${head}" where record-asks-hooks.mjs looks for it`);
  return `${text.replace(head, own)}\n`;
}
