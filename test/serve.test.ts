import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { bin, build } from "./support/build.ts";
import { writeApplication, writeFiles } from "./support/dev-app.ts";
import { allGone, descendants } from "./support/processes.ts";
import { launchServe, processesOfService, serving, startServe, type Served } from "./support/served.ts";

/** The number of times to kill a server; FW_KILLS=50 for more. */
const kills = Number(process.env["FW_KILLS"] ?? 2);

const bank = `
-- bank/bank.ts --
import { API, Auth, Counter, Entity, Page, Role, RequireRole, Secret, Site, NotFound, transaction } from "fw";
import type { ID, Int, Path } from "fw";
import { audit } from "../vault/vault.ts";

export const auth = Auth({ password: true });
export const Teller = Role("teller");
export const isTeller = RequireRole(Teller);
export const site = Site("./public");
export const word = Secret("BANK_WORD");
export const asked = Counter("asked");

export interface Entry { id: ID; n: Int }
export const entries = Entity<Entry>("entries");

export const put = API("POST /entries", async (ctx, req: { id: string; n: Int }) => {
  await entries.create(ctx, req);
  return { id: req.id };
});
export const get = API("GET /entries/{id}", (ctx, { id }: { id: Path }) => entries.get(ctx, id));
export const version = API("GET /version", (ctx) => { asked.add(ctx, 1); console.log("asked"); return { version: "one", word: word.value() }; });
export const where = API("GET /where", (ctx) => ({ ip: ctx.client.ip }));
export const runsIn = API("GET /process", () => ({ pid: process.pid }));
export const me = API("GET /me", (ctx) => ({ email: ctx.user().email }), { signIn: true });
export const till = API("GET /till", () => "open", { allow: isTeller });
export const checked = API("GET /audited", (ctx) => audit.call(ctx, {}));
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html"));
-- bank/public/templates/layout.html --
<!doctype html><html><body>{{content}}</body></html>
-- bank/public/templates/home.html --
<form method="post">{{csrf}}</form>
-- bank/public/logo.svg --
<svg xmlns="http://www.w3.org/2000/svg"/>
-- vault/vault.ts --
import { API } from "fw";
export const audit = API("GET /audit", () => "sound", { private: true });
`;

const env = { BANK_WORD: "sesame" };
let root: string;

beforeAll(async () => {
  root = writeApplication(Object.fromEntries(filesOf(bank)));
  await build(root);
});
afterAll(() => rmSync(root, { recursive: true }));

/** Creates a data directory that is deleted after the test. */
function place(): { readonly data: string } & Disposable {
  const data = mkdtempSync(join(tmpdir(), "fw-serve-"));
  return { data, [Symbol.dispose]: () => rmSync(data, { recursive: true, force: true }) };
}

interface Output {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
}

async function ask(url: string, init?: RequestInit): Promise<Output> {
  const answer = await fetch(url, { redirect: "manual", ...init });
  return { status: answer.status, body: await answer.text(), headers: answer.headers };
}

function command(
  cwd: string,
  ...args: string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [bin, ...args], { cwd }, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
    });
    child.stdin?.end("a good password\n");
  });
}

describe("an application that fw serve runs", () => {
  let running: Served;
  let data: ReturnType<typeof place>;
  beforeAll(async () => {
    data = place();
    const hooks = join(import.meta.dirname, "support/without-analysis.mjs");
    running = await startServe(["--data", data.data, "--trust-proxy", "127.0.0.0/8"], {
      cwd: root,
      env: { ...env, FW_METRICS: "prometheus", FW_METRICS_TOKEN: "scraping-is-allowed" },
      nodeOptions: ["--import", hooks],
    });
  });
  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    data[Symbol.dispose]();
  });

  test("answers routes and files of all packages at one port, with neither TypeScript nor analysis loaded", async () => {
    expect(await ask(`${running.url}/version`)).toMatchObject({
      status: 200,
      body: '{"version":"one","word":"sesame"}',
    });
    expect(await ask(`${running.url}/logo.svg`)).toMatchObject({ status: 200 });
    expect(await ask(`${running.url}/audited`)).toMatchObject({ status: 200, body: '"sound"' });
    expect(await ask(`${running.url}/nothing`)).toMatchObject({ status: 404 });
  });

  test("has no dev bar, no test users and no private route for outsiders", async () => {
    expect((await ask(`${running.url}/`)).body).not.toContain("fw-dev-bar");
    const page = await ask(`${running.url}/_fw/signin`);
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/alice|bob|Test users|fw users/);
    expect(page.body).toContain('type="password"');
    const alice = { method: "POST", body: new URLSearchParams({ dev_user: "alice" }) };
    expect(await ask(`${running.url}/_fw/api/session`, alice)).toMatchObject({ status: 400 });
    expect(await ask(`${running.url}/audit`)).toMatchObject({ status: 403 });
  });

  test("signs in with the password of an account that fw users made while it ran, and a role that it granted counts", async () => {
    const users = (...args: string[]): ReturnType<typeof command> =>
      command(tmpdir(), "users", ...args, "--data", data.data);
    expect(await users("create", "ada@example.com", "--password")).toMatchObject({ code: 0, err: expect.any(String) });
    const body = new URLSearchParams({ email: "ada@example.com", password: "a good password" });
    const session = await ask(`${running.url}/_fw/api/session`, {
      method: "POST",
      body,
      headers: { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" },
    });
    expect(session.status).toBe(303);
    const [cookie = ""] = (session.headers.get("set-cookie") ?? "").split(";");
    expect(session.headers.get("set-cookie")).toMatch(/^__Host-.*; Secure/);
    const signedIn = { headers: { cookie, "x-forwarded-proto": "https" } };
    expect(await ask(`${running.url}/me`, signedIn)).toMatchObject({
      status: 200,
      body: '{"email":"ada@example.com"}',
    });
    expect(await ask(`${running.url}/till`, signedIn)).toMatchObject({ status: 403 });
    expect(await users("grant", "ada@example.com", "teller")).toMatchObject({ code: 0 });
    expect(await ask(`${running.url}/till`, signedIn)).toMatchObject({ status: 200 });
    expect(await users("grant", "ada@example.com", "tellar")).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean "teller"?'),
    });
    expect((await users("list")).out).toContain("ada@example.com");
  });

  test("believes a proxy that is named where a request came from, and says no more of https than it does", async () => {
    const where = async (forwarded: string): Promise<string> =>
      (await ask(`${running.url}/where`, { headers: { "x-forwarded-for": forwarded } })).body;
    expect(await where("198.51.100.1, 203.0.113.7")).toBe('{"ip":"203.0.113.7"}');
    expect(await where("203.0.113.7, 127.0.0.9")).toBe('{"ip":"203.0.113.7"}');
    expect(await where("203.0.113.7, unknown")).toBe('{"ip":"127.0.0.1"}');
    const cookie = (await ask(`${running.url}/`)).headers.get("set-cookie") ?? "";
    expect(cookie).not.toContain("Secure");
  });

  test("shows metrics to requests with the token only", async () => {
    await ask(`${running.url}/version`);
    expect(await ask(`${running.url}/_fw/z/metrics`)).toMatchObject({ status: 401 });
    const scraped = await ask(`${running.url}/_fw/z/metrics`, {
      headers: { authorization: "Bearer scraping-is-allowed" },
    });
    expect(scraped).toMatchObject({ status: 200, body: expect.stringMatching(/^asked_total.* [1-9]/m) });
  });

  test("writes its log as lines of JSON that name the service", async () => {
    const writtenLines = running
      .output()
      .split("\n")
      .filter((line) => line !== "");
    expect(writtenLines.filter((line) => !line.startsWith("{"))).toEqual([]);
    expect(running.lines('"message":"asked"')[0]).toMatchObject({ service: "bank", severity: "INFO" });
  });

  test("starts a service again that ends", async () => {
    const pids = descendants(running.child.pid ?? 0);
    expect(pids.length).toBe(2 * processesOfService);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await allGone(pids);
    expect(await ask(`${running.url}/audited`)).toMatchObject({ status: 200, body: '"sound"' });
    await expect.poll(() => running.lines("was restarted").length).toBe(2 * processesOfService);
  });

  test("is one server for its data, which says so to another", async () => {
    const second = launchServe(["--data", data.data], { cwd: root, env });
    await expect(second.printed("nothing that it prints")).rejects.toThrow(
      /ended with 2:\nfw: a server is using this data; stop it first/,
    );
  });
});

test("with --processes 2 both processes of a service answer and count, and one answers alone while the other restarts", async () => {
  using at = place();
  await using running = await startServe(["--data", at.data, "--processes", "2"], {
    cwd: root,
    env: { ...env, FW_METRICS: "prometheus", FW_METRICS_TOKEN: "scraping-is-allowed" },
  });
  const answering = async (): Promise<ReadonlySet<number>> => {
    const pids = new Set<number>();
    for (let request = 0; request < 6; request++) {
      const { status, body } = await ask(`${running.url}/process`);
      expect(status).toBe(200);
      pids.add((JSON.parse(body) as { pid: number }).pid);
    }
    return pids;
  };
  const [first = 0, second = 0, ...others] = await answering();
  expect([second > 0, others]).toEqual([true, []]);
  for (let request = 0; request < 6; request++) await ask(`${running.url}/version`);
  const headers = { authorization: "Bearer scraping-is-allowed" };
  expect((await ask(`${running.url}/_fw/z/metrics`, { headers })).body).toMatch(/^asked_total.* 6$/m);
  expect(await ask(`${running.url}/audited`)).toMatchObject({ status: 200, body: '"sound"' });
  process.kill(first, "SIGKILL");
  await allGone([first]);
  expect(await answering()).toContain(second);
  await expect.poll(async () => (await answering()).size).toBe(2);
  expect(await answering()).not.toContain(first);
});

interface Visits {
  readonly count: () => number;
  /** Returns the number of entries that each client has stored. */
  readonly answerCounts: () => readonly number[];
  readonly stop: () => Promise<readonly string[]>;
}

/** Runs clients concurrently, each sending one request after another. `stop` returns the failures. */
function visiting(url: string, agents = 4): Visits {
  const failed: string[] = [];
  const answerCounts = Array.from({ length: agents }, () => 0);
  const over = new AbortController();
  let count = 0;
  const one = (method: string, path: string, body?: string): Promise<void> =>
    new Promise((resolve) => {
      const bodyHeaders = body === undefined ? {} : { "content-type": "application/json" };
      const outgoing = request(`${url}${path}`, { method, agent: false, headers: bodyHeaders }, (answer) => {
        if (answer.statusCode !== 200) failed.push(`${method} ${path} was answered ${answer.statusCode}`);
        answer.resume().on("end", () => {
          count++;
          resolve();
        });
      });
      outgoing.on("error", (error) => {
        failed.push(`${method} ${path}: ${error.message}`);
        resolve();
      });
      outgoing.end(body);
    });
  const visitor = async (who: number): Promise<void> => {
    for (let n = 0; !over.signal.aborted; n++) {
      await one("POST", "/entries", JSON.stringify({ id: `${who}-${n}`, n }));
      answerCounts[who] = n + 1;
      await one("GET", "/version");
    }
  };
  const visitors = Array.from({ length: agents }, (_, who) => visitor(who));
  return {
    count: () => count,
    answerCounts: () => [...answerCounts],
    stop: async () => {
      over.abort();
      await Promise.all(visitors);
      return failed;
    },
  };
}

test("another build takes over at SIGHUP while visitors come, without a failed request, and one that does not start changes nothing", async () => {
  using at = place();
  const releases = place();
  using _ = releases;
  const current = join(releases.data, "current");
  const release = (name: string): void => {
    cpSync(join(root, ".fw/build"), join(releases.data, name), { recursive: true });
  };
  const use = (name: string): void => {
    symlinkSync(name, `${current}.new`);
    renameSync(`${current}.new`, current);
  };
  const changed = (name: string, from: string, to: string): void => {
    release(name);
    const main = join(releases.data, name, "services/bank/main.js");
    const text = readFileSync(main, "utf8");
    expect(text).toContain(from);
    writeFileSync(main, text.replace(from, to));
  };
  release("1");
  changed("2", '"one"', '"two"');
  changed("3", '"two"'.replace("two", "one"), "(() => { throw new Error('wrong'); })()");
  writeFileSync(join(releases.data, "3/services/bank/main.js"), "throw new Error('this build is broken');\n");
  use("1");
  await using running = await startServe([current, "--data", at.data], { cwd: tmpdir(), env });
  const visits = visiting(running.url);
  await expect.poll(visits.count).toBeGreaterThan(20);
  use("2");
  // The previous build is no longer needed, because it has been copied.
  rmSync(join(releases.data, "1"), { recursive: true });
  running.child.kill("SIGHUP");
  await running.printed('"message":"upgraded"');
  expect(running.lines('"upgraded"')).toMatchObject([{ services: ["bank"] }]);
  const soFar = visits.count();
  await expect.poll(visits.count).toBeGreaterThan(soFar + 20);
  use("3");
  running.child.kill("SIGHUP");
  await running.printed('keeps running: \\"bank\\" did not start');
  expect(await visits.stop()).toEqual([]);
  expect((await ask(`${running.url}/version`)).body).toContain('"two"');
});

test("a server that systemd hands its socket is upgraded itself without a failed request", async () => {
  using at = place();
  const socket = createServer();
  await new Promise<void>((resolve) => socket.listen(0, "127.0.0.1", resolve));
  const { port } = socket.address() as AddressInfo;
  const { fd: descriptor } = (socket as unknown as { readonly _handle: { readonly fd: number } })._handle;
  const launch = (): Served => launchServe(["--data", at.data], { cwd: root, env, handed: descriptor });
  await using first = launch();
  await using second = launch();
  // From now on only the servers hold the socket: systemd does not accept connections itself.
  await new Promise((resolve) => socket.close(resolve));
  first.begin();
  await serving(first);
  const visits = visiting(`http://127.0.0.1:${port}`);
  await expect.poll(visits.count).toBeGreaterThan(20);
  expect(await first.end()).toBe(0);
  second.begin();
  await serving(second);
  const soFar = visits.count();
  await expect.poll(visits.count).toBeGreaterThan(soFar + 20);
  expect(await visits.stop()).toEqual([]);
});

test("fw backup copies a moment while visitors come, and fw restore puts it where a server then has what was answered before", async () => {
  using at = place();
  const [data, backup, restored] = ["data", "backup", "restored"].map((name) => join(at.data, name)) as [
    string,
    string,
    string,
  ];
  const running = await startServe(["--data", data], { cwd: root, env });
  const visits = visiting(running.url);
  await expect.poll(visits.count).toBeGreaterThan(20);
  const before = visits.answerCounts();
  expect(await command(tmpdir(), "backup", backup, "--data", data)).toMatchObject({ code: 0, err: "" });
  const soFar = visits.count();
  await expect.poll(visits.count).toBeGreaterThan(soFar + 10);
  const refusal = await command(tmpdir(), "restore", backup, "--data", data);
  expect(refusal).toMatchObject({ code: 2, err: expect.stringContaining("a server is using") });
  expect(await visits.stop()).toEqual([]);
  await running.end();
  expect(await command(tmpdir(), "restore", backup, "--data", restored)).toMatchObject({ code: 0 });
  await using again = await startServe(["--data", restored], { cwd: root, env });
  for (const [who, count] of before.entries()) {
    const has = async (n: number): Promise<boolean> => (await ask(`${again.url}/entries/${who}-${n}`)).status === 200;
    let entries = 0;
    while (await has(entries)) entries++;
    expect(entries).toBeGreaterThanOrEqual(count);
    expect(await has(entries + 1)).toBe(false);
  }
});

test(
  "killed at whatever time while entries are put, it has lost none that was answered",
  { timeout: 120_000 + kills * 60_000 },
  async () => {
    using at = place();
    const answerCounts = new Map<string, number>();
    let n = 0;
    for (let kill = 0; kill < kills; kill++) {
      const running = await startServe(["--data", at.data], { cwd: root, env });
      const pids = descendants(running.child.pid ?? 0);
      const over = new AbortController();
      const before = answerCounts.size;
      const writer = async (): Promise<void> => {
        while (!over.signal.aborted) {
          const id = `entry-${++n}`;
          const body = JSON.stringify({ id, n });
          const put = { method: "POST", body, headers: { "content-type": "application/json" } };
          const said = await ask(`${running.url}/entries`, put).catch(() => undefined);
          if (said?.status === 200) answerCounts.set(id, Number(JSON.parse(body).n));
        }
      };
      const writers = Array.from({ length: 8 }, writer);
      await expect.poll(() => answerCounts.size).toBeGreaterThan(before + 20 + ((kill * 37) % 100));
      running.child.kill("SIGKILL");
      over.abort();
      await Promise.all(writers);
      await allGone([running.child.pid ?? 0, ...pids]);
    }
    await using running = await startServe(["--data", at.data], { cwd: root, env });
    const lostOrders: string[] = [];
    for (const [id, value] of answerCounts) {
      const { status, body } = await ask(`${running.url}/entries/${id}`);
      if (status !== 200 || (JSON.parse(body) as { n: number }).n !== value) lostOrders.push(id);
    }
    expect(lostOrders).toEqual([]);
    expect(answerCounts.size).toBeGreaterThan(kills * 20);
    if (process.env["FW_KILLS"] !== undefined)
      console.log(`${kills} kills, ${answerCounts.size} answered, ${lostOrders.length} lost`);
  },
);

test("what cannot be run is refused in a sentence", async () => {
  using at = place();
  const refusal = async (
    args: readonly string[],
    settings: Readonly<Record<string, string>> = env,
  ): Promise<string> => {
    const running = launchServe([...args, "--data", at.data], { cwd: root, env: settings });
    const error = await running.printed("nothing that it prints").catch((thrown: Error) => thrown.message);
    return String(error);
  };
  expect(await refusal([tmpdir()])).toContain(`no build in ${tmpdir()}`);
  expect(await refusal(["--processes", "0"])).toContain('"--processes": "0" is neither auto nor a number from 1 to 64');
  expect(await refusal(["--trust-proxy", "localhost"])).toContain('"localhost" is neither an address');
  expect(await refusal(["--trust-proxy", "0.0.0.0/0"])).toContain('"0.0.0.0/0" is neither an address');
  const unset = await refusal([], {});
  expect(unset).toContain("secret BANK_WORD is not set");
  expect(unset).toContain('fw: "bank" did not start; see the output above');
  writeFiles(at.data, { "cloud/app.json": JSON.stringify({ version: 1, platform: "gcp" }) });
  expect(await refusal([join(at.data, "cloud")])).toContain("was built for gcp");
  writeFiles(at.data, { "old/app.json": JSON.stringify({ version: 0, platform: "local" }) });
  expect(await refusal([join(at.data, "old")])).toContain("was built by another version of fw");
});
