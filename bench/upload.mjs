// A browser attaches a 200 MB film to a note of examples/notes: the time, and the peak memory of the application's
// processes, as a single service and under fw dev. Finally, the download is compared with the original.
import chromium from "@sparticuz/chromium";
import { fork, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { chromium as playwright } from "playwright-core";
import { buildApp } from "./load/build-app.mjs";

const megabytes = Number(process.argv[2] ?? 200);
const root = fileURLToPath(new URL("..", import.meta.url));
const directory = await mkdtemp(join(tmpdir(), "fw-upload-"));
const copy = join(directory, "notes");
const film = join(directory, "film.mp4");
try {
  await pipeline(Readable.from(pieces(megabytes)), createWriteStream(film));
  await copyExample();
  console.log(`Node ${process.version}, ${megabytes} MB`);
  for (const start of [startService, startDev]) await attachTo(await start());
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function attachTo({ name, child, url }) {
  const browser = await playwright.launch({ executablePath: await chromium.executablePath(), args: chromium.args });
  try {
    await measure(name, child.pid, url, await browser.newPage());
  } finally {
    await browser.close();
    const ended = once(child, "exit");
    child.kill();
    await ended;
  }
}

async function measure(name, pid, url, page) {
  await page.goto(`${url}/_fw/signin?next=/new`);
  await page.getByRole("button", { name: "Sign in as alice" }).click();
  await page.getByLabel("Title").fill(`A film on ${name}`);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByLabel("File").setInputFiles(film);
  const processes = processesOf(pid, name);
  for (const each of processes) writeFileSync(`/proc/${each.pid}/clear_refs`, "5"); // the peak counts from here
  const before = processes.map((each) => memory(each.pid, "VmRSS"));

  const started = performance.now();
  await page.getByRole("button", { name: "Attach" }).click();
  await page.getByRole("link", { name: "film.mp4" }).waitFor({ timeout: 600_000 });
  const seconds = (performance.now() - started) / 1000;

  console.log(`${name}: ${seconds.toFixed(1)} s, ${Math.round(megabytes / seconds)} MB/s`);
  for (const [i, each] of processes.entries())
    console.log(`  ${each.name.padEnd(14)} ${before[i]} MB before, at most ${memory(each.pid, "VmHWM")} MB meanwhile`);
  const { pathname } = new URL(page.url());
  const answer = await page
    .context()
    .request.get(`${url}${pathname.replace(/edit$/, "files/film.mp4")}`, { maxRedirects: 0 });
  const download = await fetch(new URL(answer.headers()["location"], url));
  const same = (await digest(Readable.fromWeb(download.body))) === (await digest(createReadStream(film)));
  console.log(same ? "  the download is what was sent" : "  THE DOWNLOAD IS NOT WHAT WAS SENT");
  if (!same) process.exitCode = 1;
}

async function startService() {
  const out = join(directory, "out");
  await buildApp(copy, out);
  await cp(join(copy, "notes/seed"), join(out, "seed"), { recursive: true });
  const service = fileURLToPath(new URL("upload/service.mjs", import.meta.url));
  const child = fork(service, [join(out, "app.mjs"), join(directory, "data")]);
  const [{ url }] = await once(child, "message");
  return { name: "service", child, url };
}

async function startDev() {
  const child = spawn(process.execPath, [join(root, "packages/fw/bin/fw.js"), "dev", "--port", "0"], {
    cwd: copy,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  let output = "";
  for await (const text of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    output += text;
    const url = /http:\/\/localhost:\d+/.exec(output)?.[0];
    if (url !== undefined) return { name: "fw dev", child, url };
  }
  throw new Error(`fw dev ended:\n${output}`);
}

async function copyExample() {
  const skipped = /node_modules|\/\.fw$|\.fw\//;
  await cp(join(root, "examples/notes"), copy, { recursive: true, filter: (path) => !skipped.test(path) });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  await once(spawn(process.execPath, [join(copy, "notes/assets.mjs")], { stdio: "inherit" }), "exit");
}

/** Returns a process and its children: for fw dev, the application and the standby. */
function processesOf(pid, name) {
  const children = readdirSync("/proc").filter((each) => /^\d+$/.test(each) && parentOf(each) === pid);
  const applications = children.filter((each) =>
    readFileSync(`/proc/${each}/cmdline`, "utf8").includes("running/child"),
  );
  const named = applications.map((each, i) => ({ pid: Number(each), name: i === 0 ? "application" : "standby" }));
  return [{ pid, name }, ...named];
}

function parentOf(pid) {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined; // it has exited
  }
}

/** Returns a memory field of a process in megabytes. */
function memory(pid, field) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024);
}

function* pieces(count) {
  for (let i = 0; i < count; i += 1) yield randomBytes(1_000_000);
}

async function digest(stream) {
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest("hex");
}
