import { get, type ClientRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { startServed } from "./support/served-topology.ts";
import { oneMachineTopologies, startFiles, type Running, type Topology } from "./support/topologies.ts";

// A help desk whose pages follow its tickets, and an office in another service that changes them.
const desk = String.raw`
-- desk/desk.ts --
import { Auth, Entity, type ID, type Index, Page, type Path, RequireMember, RequireRole, Site, Tenant } from "fw";
import { Agent } from "../office/office.ts";

export const auth = Auth({ password: true });
export const site = Site("./public");
export interface Ticket { id: ID; team: Index<string>; title: string }
export const tickets = Entity<Ticket>("tickets", { tenant: "shared" });
export const isAgent = RequireRole(Agent);

export const board = Page("GET /board/{team}", async (ctx, { team }: { team: Path }) =>
  site.render(ctx, "board.html", { tickets: await tickets.query().where("team", "==", team).all(ctx) }), { live: true });
export const one = Page("GET /tickets/{id}", async (ctx, { id }: { id: Path }) =>
  site.render(ctx, "board.html", { tickets: [await tickets.get(ctx, id)] }), { live: true });
export const work = Page("GET /work/{team}", async (ctx, { team }: { team: Path }) =>
  site.render(ctx, "board.html", { tickets: await tickets.query().where("team", "==", team).all(ctx) }), { allow: isAgent, live: true });

export interface Note { id: ID; title: string }
export const memberships = Entity<{ id: ID }>("memberships", { tenant: "shared" });
export const orgs = Tenant("orgs", (ctx, user, { org }: { org: Path }) => memberships.find(ctx, org + ":" + user.id));
export const isMember = RequireMember(orgs);
export const notes = Entity<Note>("notes", { tenant: orgs });
export const own = Page("GET /orgs/{org}/notes", async (ctx, _req: { org: Path }) =>
  site.render(ctx, "board.html", { tickets: await notes.query().all(ctx) }), { allow: isMember, live: true });
-- desk/public/templates/layout.html --
<!doctype html><html><head><title>Desk</title></head><body><form method="post" action="/new">{{csrf}}</form>{{content}}</body></html>
-- desk/public/templates/board.html --
<ul>{{#each tickets}}<li id="t-{{id}}">{{title}}</li>{{/each}}</ul>
-- office/office.ts --
import { API, type Path, Queue, Role, transaction, Worker } from "fw";
import { auth, memberships, notes, orgs, tickets } from "../desk/desk.ts";

export const Agent = Role("agent");
export interface Change { readonly id: string; readonly team: string; readonly title: string; readonly org?: string }
export const changes = Queue<Change>("changes");
export const put = API("POST /changes", async (ctx, change: Change): Promise<void> => void (await tickets.put(ctx, change)));
export const later = API("POST /later", (ctx, change: Change) => changes.send(ctx, change));
export const work = Worker(changes, async (ctx, { org, ...change }) => org === undefined
  ? transaction(ctx, async (tx) => void (await tickets.put(tx, change)))
  : void (await notes.put(orgs.as(ctx, org), { id: change.id, title: change.title })));
export const hire = API("POST /members/{id}", async (ctx, { id }: { id: Path }): Promise<void> => void (await memberships.put(ctx, { id })));
export const dismiss = API("POST /members/{id}/leave", (ctx, { id }: { id: Path }) => memberships.delete(ctx, id));
export const remove = API("POST /removals/{id}", (ctx, { id }: { id: Path }) => tickets.delete(ctx, id));
export const add = API("POST /people", async (ctx, { email }: { email: string }) =>
  (await auth.users.create(ctx, { email, name: email, password: "a good password" })).id);
export const disable = API("POST /people/{id}/disable", (ctx, { id }: { id: Path }) => auth.users.disable(ctx, id));
export const grant = API("POST /people/{id}/grant", (ctx, { id }: { id: Path }) => auth.users.grant(ctx, id, Agent));
export const revoke = API("POST /people/{id}/revoke", (ctx, { id }: { id: Path }) => auth.users.revoke(ctx, id, Agent));
`;

const builtTopology: Topology = ["built and served", startServed];

interface Follower {
  /** The documents that the stream has sent. */
  pages: string[];
  status: number;
  text: string;
  isReloaded: boolean;
  readonly request: ClientRequest;
}

describe.each([...oneMachineTopologies, builtTopology])("live pages %s", (...topology) => {
  let app: Running;
  let url: string;
  beforeAll(async () => {
    app = await startFiles(topology, Object.fromEntries(filesOf(desk)));
    url = `http://localhost:${app.port}`;
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  const post = async (path: string, body: object = {}): Promise<Response> => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.ok, `${path} ${answer.status}`).toBe(true);
    return answer;
  };
  const put = (id: string, title: string, team = "a"): Promise<Response> => post("/changes", { id, title, team });
  /** Loads a page and returns its hash, which `follow` sends like the page's script. */
  const load = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
    const html = await (await fetch(url + path, { headers })).text();
    return /data-shown="([^"]+)"/.exec(html)?.[1] ?? "";
  };
  const follow = (path: string, hash: string, headers: Record<string, string> = {}): Follower => {
    const stream: Omit<Follower, "request"> = { pages: [], status: 0, text: "", isReloaded: false };
    const request = get(url + path, { headers: { ...headers, "FW-Live": hash } }, (answer) => {
      stream.status = answer.statusCode ?? 0;
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        stream.text += chunk;
        stream.pages = [...stream.text.matchAll(/^data: (".+")$/gm)].map(
          ([, data]) => JSON.parse(data ?? "") as string,
        );
        stream.isReloaded = stream.text.includes("event: reload");
      });
      answer.on("error", () => {});
    }).on("error", () => {});
    return Object.assign(stream, { request });
  };
  const titles = (page: string | undefined): string[] =>
    [...(page ?? "").matchAll(/<li id="[^"]*">([^<]*)/g)].map(([, title]) => title ?? "");
  const join = async (name: string): Promise<{ readonly id: string; readonly Cookie: string }> => {
    const email = `${name}@example.com`;
    const id = (await (await post("/people", { email })).json()) as string;
    await post(`/people/${id}/grant`);
    const body = new URLSearchParams({ email, password: "a good password" });
    const answer = await fetch(`${url}/_fw/api/session`, { method: "POST", body, redirect: "manual" });
    const cookie = answer.headers.getSetCookie().find((each) => each.includes("fw_session="));
    return { id, Cookie: cookie?.split(";")[0] ?? "" };
  };

  test("show changes of any process, and nothing where nothing they show has changed", async () => {
    await put("1", "first");
    const hash = await load("/board/a");
    expect(hash).not.toBe("");
    const board = follow("/board/a", hash);
    const other = follow("/board/b", await load("/board/b"));
    const ticket = follow("/tickets/1", await load("/tickets/1"));
    await expect.poll(() => [board, other, ticket].map(({ status }) => status)).toEqual([200, 200, 200]);
    await put("2", "second");
    await expect.poll(() => titles(board.pages.at(-1))).toEqual(["first", "second"]);
    await post("/later", { id: "1", title: "by a worker", team: "a" });
    await expect.poll(() => titles(board.pages.at(-1))).toEqual(["by a worker", "second"]);
    await expect.poll(() => titles(ticket.pages.at(-1))).toEqual(["by a worker"]);
    await post("/removals/2");
    await expect.poll(() => titles(board.pages.at(-1))).toEqual(["by a worker"]);
    expect([board.pages.length, ticket.pages.length, other.pages.length]).toEqual([3, 1, 0]);
    for (const { request } of [board, other, ticket]) request.destroy();
  });

  test("catch up on what changed while their browser was away, and send nothing to one that is up to date", async () => {
    await put("3", "before", "c");
    const hash = await load("/board/c");
    await put("3", "after", "c");
    const late = follow("/board/c", hash);
    await expect.poll(() => titles(late.pages.at(-1))).toEqual(["after"]);
    const current = follow("/board/c", await load("/board/c"));
    await put("3", "at last", "c");
    await expect.poll(() => current.pages.length).toBe(1);
    expect(titles(current.pages[0])).toEqual(["at last"]);
    for (const { request } of [late, current]) request.destroy();
  });

  test("end when their user loses access, and when what they show is gone", async () => {
    const [ann, fay] = [await join("ann"), await join("fay")];
    await put("4", "secret", "d");
    const headers = ({ Cookie }: { readonly Cookie: string }): { Cookie: string } => ({ Cookie });
    const follower = async (path: string, who: typeof ann): Promise<Follower> =>
      follow(path, await load(path, headers(who)), headers(who));
    const [first, second] = [await follower("/work/d", ann), await follower("/work/d", fay)];
    const ticket = await follower("/tickets/4", fay);
    await expect.poll(() => [first, second, ticket].map(({ status }) => status)).toEqual([200, 200, 200]);
    await post(`/people/${ann.id}/revoke`);
    await expect.poll(() => first.isReloaded).toBe(true);
    await put("4", "still secret", "d");
    await expect.poll(() => titles(second.pages.at(-1))).toEqual(["still secret"]);
    expect(first.pages).toEqual([]);
    await post("/removals/4");
    await expect.poll(() => ticket.isReloaded).toBe(true);
    await post(`/people/${fay.id}/disable`);
    await expect.poll(() => second.isReloaded).toBe(true);
    const refused = follow("/work/d", "x", headers(ann));
    await expect.poll(() => refused.status).toBe(403);
  });

  test("of a tenant show nothing of another one, and end with the membership", async () => {
    const [mia, leo] = [await join("mia"), await join("leo")];
    for (const id of [`acme:${mia.id}`, `zoo:${leo.id}`]) await post(`/members/${id}`);
    const follower = ({ Cookie }: typeof mia, path: string): Follower => follow(path, "x", { Cookie });
    const [acme, zoo] = [follower(mia, "/orgs/acme/notes"), follower(leo, "/orgs/zoo/notes")];
    const foreign = ["/orgs/zoo/notes", "/orgs/zoo%2Fnotes/notes", "/orgs/nowhere/notes"].map((path) =>
      follower(mia, path),
    );
    await expect.poll(() => [acme, zoo, ...foreign].map(({ status }) => status)).toEqual([200, 200, 403, 403, 403]);
    for (const org of ["zoo", "acme"]) await post("/later", { org, id: "n", team: "", title: `of ${org}` });
    await expect.poll(() => [acme, zoo].map(({ pages }) => titles(pages.at(-1)))).toEqual([["of acme"], ["of zoo"]]);
    expect([acme.text.includes("of zoo"), zoo.text.includes("of acme")]).toEqual([false, false]);
    await post(`/members/acme:${mia.id}/leave`);
    await expect.poll(() => acme.isReloaded).toBe(true);
    const refused = follower(mia, "/orgs/acme/notes");
    await expect.poll(() => refused.status).toBe(403);
    expect(zoo.isReloaded).toBe(false);
    for (const { request } of [acme, zoo, ...foreign]) request.destroy();
  });

  test("are bounded for each client, and one that reads nothing delays no other", async () => {
    const big = "x".repeat(60_000);
    await put("5", "start", "e");
    const deaf = get(`${url}/board/e`, { headers: { "FW-Live": "x" } }, (answer) => answer.pause()).on(
      "error",
      () => {},
    );
    const reading = follow("/board/e", await load("/board/e"));
    await expect.poll(() => reading.status).toBe(200);
    for (let n = 0; n < 40; n++) await put("5", `${n} ${big}`, "e");
    await expect.poll(() => titles(reading.pages.at(-1))).toEqual([`39 ${big}`]);
    reading.request.destroy();
    deaf.destroy();
    const flood = Array.from({ length: 110 }, () => follow("/board/e", "x"));
    await expect.poll(() => flood.every(({ status }) => status > 0)).toBe(true);
    const statuses = flood.map(({ status }) => status);
    expect([statuses.filter((status) => status === 200).length <= 100, statuses.includes(429)]).toEqual([true, true]);
    for (const { request } of flood) request.destroy();
  });
});
