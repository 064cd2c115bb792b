import { expect, vi } from "vitest";
import { filesOf } from "../../packages/fw/src/analysis/testing/app.ts";
import { consoleOf } from "./console-api.ts";
import { patienceMs } from "./patience.ts";
import { Customer } from "./shop.ts";

/**
 * Returns a text with a given length: words joined by hyphens or spaces, where lines can break, or `unbroken` letters.
 * Pages must show all of them in full.
 */
function longText(begin: string, length: number, form: "hyphens" | "unbroken" | "words" = "hyphens"): string {
  const more = {
    hyphens: "-of-the-northern-district",
    unbroken: "ofthenortherndistrict",
    words: " of the northern district",
  };
  return (begin + more[form].repeat(length)).slice(0, length - 3) + "end";
}

/** The numbers of characters in the application's long names, and in the name of its package. */
const [nameCharacters, packageCharacters] = [63, 40];

const name = (begin: string, form?: "hyphens" | "unbroken"): string => longText(begin, nameCharacters, form);
const variable = (begin: string): string => longText(begin, nameCharacters, "unbroken");
const packageName: string = longText("warehouses", packageCharacters);

/** The names that the application declares and that pages show. */
const long = {
  packageName,
  entity: name("shipments"),
  bucket: name("documents"),
  queue: name("notices"),
  cron: name("sweep"),
  job: name("rebuild"),
  mail: name("welcome"),
  role: name("supervisor"),
  path: `/${longText("warehouses", 50)}/{${variable("warehouse")}}/${longText("shelves", 60, "unbroken")}/{${variable("shelf")}}`,
  reason:
    longText("the address of the recipient is refused by the carrier: ", 300, "words") + longText("0x", 90, "unbroken"),
  key: `${longText("scans", 60)}/${longText("page", 90, "unbroken")}.pdf`,
};

/** An application whose names, paths and values are about as long as they can be, and whose messages fail. */
export const longApp: Readonly<Record<string, string>> = Object.fromEntries(
  filesOf(`
-- ${packageName}/${longText("shipments", 40)}.ts --
import { Alert, API, Auth, Bucket, Channel, Counter, Cron, Entity, Histogram, Job, Limit, Mail, Queue, RequireRole, Role, Runner, Secret, Singleton, Site, Subscribe, Topic, Worker, rate } from "fw";
import type { Context, Email, ID, Index, Int, MailMessage, Path } from "fw";
export const site = Site("./web");
export const auth = Auth({ password: true });
export const ${variable("supervisor")} = Role("${long.role}");
export const supervisors = RequireRole(${variable("supervisor")});
export interface Shipment { id: ID; ${variable("recipient")}: Index<string>; ${variable("sent")}: Index<Date>; weight: Int; remark?: string }
export const ${variable("shipments")} = Entity<Shipment>("${long.entity}");
export const documents = Bucket("${long.bucket}");
export const secret = Secret("${longText("SECRET_", nameCharacters, "unbroken").toUpperCase()}");
export const counter = Counter("${longText("parcels_", nameCharacters, "unbroken")}");
export const histogram = Histogram("${longText("grams_", nameCharacters, "unbroken")}");
export const oncall = Channel("${name("oncall")}", { email: "oncall@example.com" });
export const busy = Alert("${name("busy")}", { if: rate(counter).above(1000), every: "5m", for: "10m", notify: [oncall] });
export const mails = Queue<MailMessage>("${name("mails")}");
export const mailer = Worker(mails, async () => {});
export const welcome = Mail("${long.mail}", (ctx, { name }: { name: string }) => site.fragment(ctx, "welcome.html", { name }), { queue: mails, sample: { name: "${longText("Ada", 120, "words")}" } });
export const notices = Queue<{ to: string }>("${long.queue}");
export const ${variable("deliver")} = Worker(notices, (_ctx, { to }) => { throw new Error("${long.reason} " + to); }, { maxAttempts: 5, minBackoff: "1ms", maxBackoff: "1ms" });
export const letters = Queue<{ to: string }>("${name("letters", "unbroken")}");
export const post = Worker(letters, (_ctx, { to }) => { throw new Error("${long.reason} " + to); }, { maxAttempts: 5, minBackoff: "1h", maxBackoff: "1h" });
export const arrivals = Topic<{ to: string }>("${name("arrivals")}");
export const arrived = Subscribe(arrivals, () => {});
export const sweep = Cron("${long.cron}", "0 3 * * *", () => {});
export const broken = Cron("${name("broken", "unbroken")}", "*/5 1-3 * * 1-5", () => { throw new Error("${long.reason}"); }, { timezone: "America/Argentina/ComodRivadavia" });
export const rebuild = Job("${long.job}", { history: "30d" });
export const rebuilder = Runner(rebuild, async (_ctx, _args, run) => { run.progress(0.4, "${longText("4 of 10 shelves", 120, "words")}"); throw new Error("${long.reason}"); }, { attempts: 0 });
export const compact = Job<{ ${variable("shelf")}: Int }>("${name("compact", "unbroken")}");
export const compactor = Runner(compact, () => {}, { attempts: 0 });
export const ticker = Singleton("${name("ticker")}", (ctx) => new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve())));
export const perMinute = Limit("${name("signups")}", "100/m");
export const store = API("POST /shipments", async (ctx, { to }: { to: string & Email }) => {
  ctx.log.info("${longText("stored", 200, "words")}", { shelf: "${longText("shelf", 200, "unbroken")}" });
  counter.add(ctx, 1);
  histogram.observe(ctx, 40);
  await documents.put(ctx, "${long.key}", new Blob(["scan"], { type: "application/pdf" }));
  await notices.send(ctx, { to });
  await letters.send(ctx, { to });
  await arrivals.publish(ctx, { to });
  await welcome.send(ctx, { name: "${longText("Ada", 120, "words")}" }, { to: { name: "${longText("Ada", 120, "words")}", address: to } });
  const stored = await ${variable("shipments")}.create(ctx, { ${variable("recipient")}: to, ${variable("sent")}: ctx.now(), weight: 9_007_199_254_740_991, remark: "${longText("fragile", 400, "unbroken")}" });
  for (let i = 0; i < 6; i += 1) await ${variable("shipments")}.get(ctx, stored.id);
  return ${variable("shipments")}.query().where("${variable("recipient")}", "==", to).orderBy("${variable("sent")}").limit(1).all(ctx);
}, { signIn: true });
export interface Shelf { ${variable("warehouse")}: Path; ${variable("shelf")}: Path; ${variable("reason")}?: string }
export const ${variable("showShelf")} = API("PUT ${long.path}", (_ctx: Context, input: Shelf) => input, { allow: supervisors });
export const home = API("GET /", () => "home");
export const fail = API("GET /fail/{reason}", (_ctx, { reason }: { reason: Path }) => { throw new Error("${long.reason} " + reason); });
-- ${packageName}/web/templates/layout.html --
<!doctype html><title>${longText("Welcome", 180, "words")}</title><body>{{content}}</body>
-- ${packageName}/web/templates/welcome.html --
<!doctype html><title>${longText("Welcome", 180, "words")} {{name}}</title><p>Hello {{name}}, https://example.com/${longText("path", 200, "unbroken")}</p>
-- .env --
${longText("SECRET_", nameCharacters, "unbroken").toUpperCase()}=hunter2hunter2
`),
);

/** Causes requests with various responses, a waiting and a dead message, a failed run, and accounts. */
export async function visitLongApp(url: string): Promise<void> {
  const ask = await consoleOf(url);
  const to = `${longText("recipient", 60)}@${longText("carrier", 60, "unbroken")}.example.com`;
  const alice = await Customer.signIn(url, "alice", long.role);
  const bob = await Customer.signIn(url, "bob");
  expect((await alice.send("POST", "/shipments", { to })).status).toBe(200);
  const path = long.path.replaceAll(/\{\w+\}/g, longText("northern", 120, "unbroken"));
  expect((await alice.send("PUT", path, { [longText("reason", 63, "unbroken")]: longText("lost", 200) })).status).toBe(
    200,
  );
  expect((await bob.send("PUT", path, {})).status).toBe(403);
  expect((await fetch(url + path, { method: "PUT" })).status).toBe(401);
  expect((await fetch(`${url}/fail/${longText("reason", 300, "unbroken")}`)).status).toBe(500);
  expect((await fetch(`${url}/${longText("missing", 900)}`)).status).toBe(404);
  await ask("accounts/create", {
    email: to,
    name: longText("Ada", 120, "words"),
    password: longText("secret", 30),
    role: long.role,
  });
  await ask("accounts/create", { email: "bea@example.com" });
  await expect(ask("crons/run", { name: long.cron })).resolves.toEqual({ done: true });
  await ask("jobs/start", { name: long.job });
  await vi.waitFor(
    async () => {
      expect(await ask("runs")).toMatchObject([{ state: "failed" }]);
      // The dead message and the run.
      expect(await ask("messages")).toMatchObject({ dead: [{}, {}] });
    },
    { timeout: patienceMs },
  );
}
