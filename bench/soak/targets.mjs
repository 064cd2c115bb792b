import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLocal } from "../../packages/fw/dist/platform/local/open.js";
import { until } from "../robustness/process.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const fw = path("../../packages/fw/bin/fw.js");
/** More accounts than concurrent sign-ins, so that each sign-in has its own. */
const people = 32;

/** The targets of a soak test: the dev loop, every service in its own process, and one built service alone. */
export const targets = {
  dev: () => start(() => [fw, "dev", "--port", "0"], "dev"),
  services: () => start(() => [fw, "dev", "--services", "--port", "0"], "dev"),
  built: () =>
    start(async ({ app }) => {
      const built = spawn(process.execPath, [fw, "build"], { cwd: app, stdio: "ignore" });
      const code = await new Promise((resolve) => built.once("exit", resolve));
      if (code !== 0) throw new Error(`fw build ended with ${code}`);
      return [join(app, ".fw/build/services/soak/main.js")];
    }, "deployed"),
};

async function start(commandIn, mode) {
  const space = openSpace();
  const idTokens = await mint(space.data);
  const child = spawn(process.execPath, await commandIn(space), {
    cwd: space.app,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      NO_COLOR: "1",
      NODE_OPTIONS: `--import ${path("probe.mjs")}`,
      TMPDIR: space.temporary,
      FW_SOAK_PROBE: space.probes,
      FW_DATA: space.data,
      PORT: "0",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (output = (output + text).slice(-20_000)));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const listening = /localhost:(\d+)|"port":(\d+)/;
  await Promise.race([
    until(() => listening.test(output), 60_000, "the target to listen"),
    exited.then((code) => {
      throw new Error(`the target ended with ${code}:\n${output}`);
    }),
  ]);
  const [, shown, logged] = listening.exec(output);
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
    rmSync(space.root, { recursive: true, force: true });
  };
  return { ...space, pid: child.pid, mode, idTokens, port: Number(shown ?? logged), stop, output: () => output };
}

/** Creates a copy of the application, in directories that reveal everything it leaves behind. */
function openSpace() {
  const root = mkdtempSync(join(tmpdir(), "fw-soak-"));
  const app = join(root, "app");
  cpSync(path("app"), app, { recursive: true });
  mkdirSync(join(app, "node_modules"));
  symlinkSync(path("../../packages/fw"), join(app, "node_modules/fw"));
  // A built service loads libsql from this directory before Node 24.
  symlinkSync(path("../../node_modules/libsql"), join(app, "node_modules/libsql"));
  const [temporary, probes, data] = ["tmp", "probes", "app/.fw/data"].map((name) => join(root, name));
  for (const directory of [temporary, probes, data]) mkdirSync(directory, { recursive: true });
  return { root, app, temporary, probes, data };
}

/** Creates accounts with ID tokens that outlast the soak test. */
async function mint(data) {
  const platform = await openLocal(data, { kinds: [] });
  const expires = new Date(Date.now() + 86_400_000);
  try {
    const names = Array.from({ length: people }, (_, i) => `person-${i}`);
    const fields = { emailVerified: true, claims: {} };
    const made = names.map((name) => platform.accounts.create({ ...fields, name, email: `${name}@example.com` }));
    return (await Promise.all(made)).map(({ id }) => platform.accounts.mintToken(id, "social", expires));
  } finally {
    await platform.close();
  }
}
