// Open streams of a feed under fw serve: the time from a publication to the client, and lost and repeated events when
// clients disconnect and reconnect. node bench/feeds.mjs <streams> <keys> <rounds> <percent that disconnect after each
// round>
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { Agent, get, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const [streams, keys, rounds, cutPercent] = [5_000, 50, 20, 1].map((value, i) => Number(process.argv[i + 2] ?? value));
const fw = fileURLToPath(new URL("../packages/fw/", import.meta.url));
const bin = join(fw, "bin/fw.js");

const source = `import { API, events, Feed, type Header, type Int, type Path } from "fw";
export const ticks = Feed<{ n: Int }>("ticks");
export const watch = API("GET /ticks/{key}", (ctx, { key, after }: { key: Path; after?: Header<string, "Last-Event-ID"> }) =>
  events(ticks.events(ctx, key, { after })));
export const publish = API("POST /ticks/{key}/{n}", (ctx, { key, n }: { key: Path; n: Path<Int> }) =>
  ticks.publish(ctx, key, { n }));
`;

/** Publication times by key and event number. */
const publishedAt = new Map();
const agent = new Agent({ keepAlive: true });
const latencies = [];
let port = 0;

/** A client that reconnects with the ID of its last event. */
class Follower {
  #lastId;
  #request;
  #missedSome = false;
  #counts = new Map();

  constructor(index) {
    this.key = `key-${index % keys}`;
    // An IP address may have at most 100 streams.
    this.address = `127.0.${1 + Math.floor(index / 20_000)}.${1 + (Math.floor(index / 90) % 222)}`;
  }

  async open() {
    const headers = this.#lastId === undefined ? {} : { "Last-Event-ID": this.#lastId };
    this.#request = get({
      host: "127.0.0.1",
      port,
      path: `/ticks/${this.key}`,
      headers,
      agent: false,
      localAddress: this.address,
    });
    this.#request.on("error", () => {});
    const [response] = await once(this.#request, "response");
    if (response.statusCode !== 200) throw new Error(`a stream was refused with ${response.statusCode}`);
    let text = "";
    response.on("error", () => {});
    response.setEncoding("utf8").on("data", (chunk) => {
      const parts = (text + chunk).split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) this.#take(part);
    });
  }

  async reconnect() {
    // Before its first event, the client has no ID to continue after.
    if (this.#lastId === undefined) return;
    this.#missedSome = true;
    this.#request.destroy();
    await this.open();
  }

  #take(event) {
    const n = /"n":(\d+)/.exec(event)?.[1];
    if (n === undefined) return;
    this.#lastId = /^id: (.*)$/m.exec(event)?.[1];
    this.#counts.set(Number(n), (this.#counts.get(Number(n)) ?? 0) + 1);
    // The latency of events missed while disconnected would include the disconnection.
    if (!this.#missedSome) latencies.push(performance.now() - publishedAt.get(`${this.key} ${n}`));
  }

  hasAll(count) {
    return this.#counts.size === count;
  }

  missing(count) {
    return count - this.#counts.size;
  }

  get duplicates() {
    return [...this.#counts.values()].filter((times) => times > 1).length;
  }
}

const directory = await mkdtemp(join(tmpdir(), "fw-feeds-"));
const server = await serve();
try {
  const followers = Array.from({ length: streams }, (_, index) => new Follower(index));
  for (let i = 0; i < streams; i += 100) await Promise.all(followers.slice(i, i + 100).map((each) => each.open()));
  let cuts = 0;
  for (let n = 0; n < rounds; n++) {
    for (let key = 0; key < keys; key++) {
      await publish(`key-${key}`, n);
      await wait(20);
    }
    for (let i = 0; i < (cutPercent * streams) / 100; i++, cuts++)
      await followers[Math.floor(Math.random() * streams)].reconnect();
  }
  for (let tries = 0; tries < 300 && !followers.every((each) => each.hasAll(rounds)); tries++) await wait(100);
  const sum = (count) => followers.reduce((total, each) => total + count(each), 0);
  const sorted = latencies.toSorted((a, b) => a - b);
  const quantile = (share) => Number(sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(1));
  const [missing, duplicates] = [sum((each) => each.missing(rounds)), sum((each) => each.duplicates)];
  const cpu = { server: serverMs(), clients: process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000 };
  const received = streams * rounds;
  console.log({
    serverMsPerEvent: Number((cpu.server / received).toFixed(3)),
    clientMsPerEvent: Number((cpu.clients / received).toFixed(3)),
    streams,
    keys,
    rounds,
    cuts,
    events: sorted.length,
    p50: quantile(0.5),
    p99: quantile(0.99),
    missing,
    duplicates,
  });
  process.exitCode = missing + duplicates === 0 ? 0 : 1;
} finally {
  const exited = once(server, "exit");
  server.kill("SIGTERM");
  await exited;
  await rm(directory, { recursive: true, force: true });
}
process.exit();

/** Returns the CPU milliseconds that the server's processes have used. Requires /proc. */
function serverMs() {
  const processes = readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return [{ pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
    } catch {
      return [];
    }
  });
  const own = new Set([server.pid]);
  for (const { pid, parent } of processes.toSorted((a, b) => a.pid - b.pid)) if (own.has(parent)) own.add(pid);
  return processes.filter(({ pid }) => own.has(pid)).reduce((sum, { ticks }) => sum + ticks * 10, 0);
}

/** Builds and serves the application, and sets `port`. */
async function serve() {
  const root = join(directory, "app");
  await mkdir(join(root, "node_modules"), { recursive: true });
  await mkdir(join(root, "app"));
  await symlink(fw, join(root, "node_modules/fw"));
  await writeFile(join(root, "package.json"), `{ "name": "feeds", "type": "module" }`);
  await writeFile(join(root, "app/app.ts"), source);
  execFileSync(process.execPath, [bin, "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const child = spawn(process.execPath, [bin, "serve", "--data", join(directory, "data"), "--port", "0"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  port = await new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error(`fw serve did not start: ${output}`)));
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
      const address = /"port":(\d+).*"serving"/.exec(output)?.[1];
      if (address !== undefined) resolve(Number(address));
    });
  });
  return child;
}

async function publish(key, n) {
  publishedAt.set(`${key} ${n}`, performance.now());
  const [response] = await once(
    request({ host: "127.0.0.1", port, path: `/ticks/${key}/${n}`, method: "POST", agent }).end(),
    "response",
  );
  response.resume();
  await once(response, "end");
}
