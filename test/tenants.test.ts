import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { desk } from "../packages/fw/src/analysis/testing/desk-app.ts";
import { mostTopologies, startFiles, type Running } from "./support/topologies.ts";

const files = Object.fromEntries(filesOf(desk));
const denied = { status: 403, body: { error: "you are not a member" } };

describe.each(mostTopologies)("%s", (...topology) => {
  let app: Running;
  beforeAll(async () => {
    app = await startFiles(topology, files);
    await ask("root", "PUT /orgs/acme/members/ann", { role: "admin" });
    await ask("root", "PUT /orgs/acme/members/abe", { role: "agent" });
    await ask("root", "PUT /orgs/zoo/members/zoe", { role: "admin" });
    await ask("root", "PUT /orgs/zoo/members/abe", { role: "agent" });
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  async function ask(person: string, request: string, body?: object): Promise<{ status: number; body: unknown }> {
    const [method = "", path = ""] = request.split(" ");
    const answer = await fetch(`http://localhost:${app.port}${path}`, {
      method,
      headers: { "X-Person": person, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
  }
  const open = async (person: string, org: string, title: string, weight = 1, id?: string): Promise<string> => {
    const { status, body } = await ask(person, `POST /orgs/${org}/tickets`, { title, weight, id });
    expect({ status, body }).toMatchObject({ status: 200 });
    return (body as { id: string }).id;
  };

  test("a member reads and writes the documents of the tenant in the path, and no others", async () => {
    const [ours, theirs] = [await open("ann", "acme", "our printer"), await open("zoe", "zoo", "our printer")];
    expect((await ask("ann", `GET /orgs/acme/tickets/${ours}`)).body).toMatchObject({ id: ours, title: "our printer" });
    const foreign = await Promise.all([
      ask("ann", `GET /orgs/acme/tickets/${theirs}`),
      ask("ann", `GET /orgs/acme/tickets/${encodeURIComponent(`zoo/${theirs}`)}`),
      ask("ann", `GET /orgs/acme/tickets/${encodeURIComponent(`../zoo/${theirs}`)}`),
      ask("ann", `POST /orgs/acme/tickets/${theirs}/close`),
      ask("ann", `GET /orgs/acme/named?id=${theirs}&id=${encodeURIComponent(`zoo/${theirs}`)}`),
      ask("ann", `GET /orgs/acme/several?id=${ours}&id=${theirs}&id=${encodeURIComponent(`zoo/${theirs}`)}`),
    ]);
    expect(foreign.map(({ status, body }) => (status === 200 ? body : status))).toEqual([
      404,
      404,
      404,
      404,
      [],
      [
        ["our printer", null, null],
        ["our printer", null, null],
      ],
    ]);
    expect((await ask("ann", `DELETE /orgs/acme/tickets/${theirs}`)).status).toBe(204);
    expect((await ask("zoe", `GET /orgs/zoo/tickets/${theirs}`)).status).toBe(200);
  });

  test("a key of a message belongs to its tenant, which no other can replace or cancel", async () => {
    const [ours, theirs] = [await open("ann", "acme", "a reminder"), await open("zoe", "zoo", "a reminder")];
    await ask("zoe", `POST /orgs/zoo/tickets/${theirs}/remind`);
    expect((await ask("ann", "DELETE /orgs/acme/reminder")).body).toBe(false);
    await ask("ann", `POST /orgs/acme/tickets/${ours}/remind`);
    const note = async (person: string, org: string, id: string): Promise<unknown> =>
      (await ask(person, `GET /orgs/${org}/notes/${encodeURIComponent(`reminded ${id}`)}`)).body;
    await expect.poll(() => note("zoe", "zoo", theirs), { interval: 100 }).toBe("zoo");
    await expect.poll(() => note("ann", "acme", ours), { interval: 100 }).toBe("acme");
  });

  test("an id or a unique value of another tenant is free, and its document stays", async () => {
    await open("ann", "acme", "twin", 1, "same");
    await open("zoe", "zoo", "twin", 7, "same");
    expect((await ask("ann", "PUT /orgs/acme/tickets/same", { title: "changed" })).status).toBe(200);
    expect((await ask("zoe", "GET /orgs/zoo/tickets/same")).body).toMatchObject({ title: "twin", weight: 7 });
    expect(await ask("abe", "POST /orgs/zoo/tickets", { title: "twin", weight: 1 })).toMatchObject({
      status: 409,
      body: { error: "this title is already taken", details: { taken: "title" } },
    });
  });

  test("pages, counts and sums are of the tenant, and a cursor of another tenant is refused", async () => {
    await ask("root", "PUT /orgs/lab/members/lia", { role: "agent" });
    await ask("root", "PUT /orgs/pub/members/pia", { role: "agent" });
    for (const weight of [1, 2, 3]) {
      await open("lia", "lab", `lab ${weight}`, weight);
      await open("pia", "pub", `pub ${weight}`, weight * 10);
    }
    const first = (await ask("lia", "GET /orgs/lab/tickets")).body as { items: { title: string }[]; next: string };
    expect(first.items.map(({ title }) => title)).toEqual(["lab 3", "lab 2"]);
    const after = encodeURIComponent(first.next);
    expect((await ask("lia", `GET /orgs/lab/tickets?after=${after}`)).body).toMatchObject({
      items: [{ title: "lab 1" }],
    });
    expect((await ask("pia", `GET /orgs/pub/tickets?after=${after}`)).status).toBe(400);
    expect((await ask("pia", "GET /orgs/pub/figures")).body).toEqual({
      count: 3,
      weight: 60,
      each: 60,
      tenant: "pub",
      role: "agent",
    });
  });

  test("the membership decides at each request, with its role in this tenant", async () => {
    expect(await ask("ann", "GET /orgs/zoo/figures")).toEqual(denied);
    expect(await ask("ann", "GET /orgs/nowhere/figures")).toEqual(denied);
    expect(await ask("ann", `GET /orgs/${encodeURIComponent("zoo/tickets")}/figures`)).toEqual(denied);
    expect((await ask("abe", "DELETE /orgs/acme/tickets/none")).body).toEqual({
      error: "this page needs the admin role",
    });
    await ask("root", "PUT /orgs/acme/members/eve", { role: "agent" });
    expect((await ask("eve", "GET /orgs/acme/figures")).status).toBe(200);
    await ask("root", "DELETE /orgs/acme/members/eve");
    expect(await ask("eve", "GET /orgs/acme/figures")).toEqual(denied);
  });

  test("a call enters the tenant of its own request, where the caller must be a member, too", async () => {
    const id = await open("zoe", "zoo", "lion");
    expect((await ask("abe", `GET /orgs/acme/relay/zoo/${id}`)).body).toMatchObject({ title: "lion" });
    expect(await ask("ann", `GET /orgs/acme/relay/zoo/${id}`)).toEqual(denied);
  });

  test("a worker and a subscriber work in the tenant of the sender", async () => {
    const id = await open("zoe", "zoo", "mailed lion");
    await ask("zoe", `POST /orgs/zoo/tickets/${id}/close`);
    const note = async (person: string, org: string, what: string): Promise<unknown> =>
      (await ask(person, `GET /orgs/${org}/notes/${encodeURIComponent(`${what} ${id}`)}`)).body;
    await vi.waitFor(async () => expect(await note("zoe", "zoo", "mailed")).toBe("zoo mailed lion"), 120_000);
    await vi.waitFor(async () => expect(await note("zoe", "zoo", "closed")).toBe("closed"), 120_000);
    expect(await note("ann", "acme", "mailed")).toBe("none");
  });

  test("events and uses of one key in two tenants are separate, and so are the names of those who listen", async () => {
    const listen = async (person: string, org: string, last?: string): Promise<() => Promise<string>> => {
      const { body } = await fetch(`http://localhost:${app.port}/orgs/${org}/chats/hall?name=${person}`, {
        headers: { "X-Person": person, ...(last !== undefined && { "Last-Event-ID": last }) },
      });
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      const read = async (): Promise<string> => {
        const event = /^data: (.*)$/m.exec(text);
        if (event !== null) {
          text = text.slice(event.index + event[0].length);
          return event[1] ?? "";
        }
        const { value, done } = (await reader?.read()) ?? { value: "", done: true };
        if (done) throw new Error(`the stream ended: ${text}`);
        text += value;
        return read();
      };
      return read;
    };
    const [ann, zoe] = [await listen("ann", "acme"), await listen("zoe", "zoo")];
    const post = (person: string, org: string, text: string): ReturnType<typeof ask> =>
      ask(person, `POST /orgs/${org}/chats/hall`, { text });
    expect((await post("ann", "acme", "from acme")).body).toEqual({ present: ["ann"] });
    expect((await post("zoe", "zoo", "from zoo")).body).toEqual({ present: ["zoe"] });
    expect([await ann(), await zoe()]).toEqual(['{"text":"from acme"}', '{"text":"from zoo"}']);
    expect((await post("abe", "acme", "again")).status).toBe(200);
    expect((await post("abe", "acme", "too much")).status).toBe(429);
    expect((await post("abe", "zoo", "free")).status).toBe(200);
    const again = await listen("abe", "zoo", "0");
    expect([await again(), await again()]).toEqual(['{"text":"from zoo"}', '{"text":"free"}']);
    expect(await post("ann", "zoo", "foreign")).toEqual(denied);
  });

  test("objects of one key in two tenants are separate, and an upload is reported inside of its tenant", async () => {
    const put = async (person: string, org: string, name: string, text: string): Promise<unknown> =>
      (await ask(person, `PUT /orgs/${org}/files/${encodeURIComponent(name)}`, { text })).body;
    const get = async (person: string, org: string, name: string): Promise<unknown> => {
      const path = `/orgs/${org}/files/${encodeURIComponent(name)}`;
      const answer = await fetch(`http://localhost:${app.port}${path}`, { headers: { "X-Person": person } });
      return answer.status === 200 ? answer.text() : answer.status;
    };
    const { key, url } = (await put("ann", "acme", "plan", "ours")) as { key: string; url: string };
    await put("zoe", "zoo", "plan", "theirs");
    expect([key, await get("ann", "acme", "plan"), await get("zoe", "zoo", "plan")]).toEqual([
      "plan",
      "ours",
      "theirs",
    ]);
    const origin = `http://localhost:${app.port}`;
    expect(await (await fetch(new URL(url, origin))).text()).toBe("ours");
    await put("zoe", "zoo", "secret", "theirs");
    expect([
      ...(await Promise.all(["secret", "zoo/secret", "../zoo/secret"].map((name) => get("ann", "acme", name)))),
      (await ask("ann", "DELETE /orgs/acme/files/secret")).body,
      (await ask("ann", "GET /orgs/acme/files")).body,
      (await ask("ann", "GET /orgs/acme/files?prefix=zoo")).body,
      (await ask("zoe", "GET /orgs/zoo/files")).body,
    ]).toEqual([404, 404, 404, false, ["plan"], [], ["plan", "secret"]]);
    const { url: target, headers } = (await ask("zoe", "POST /orgs/zoo/files/sent")).body as {
      url: string;
      headers: object;
    };
    const upload = await fetch(new URL(target, origin), {
      method: "PUT",
      headers: { "Content-Type": "text/plain", ...headers },
      body: "sent",
    });
    expect([upload.status, await get("zoe", "zoo", "sent"), await get("ann", "acme", "sent")]).toEqual([
      200,
      "sent",
      404,
    ]);
    const note = async (person: string, org: string, id: string): Promise<unknown> =>
      (await ask(person, `GET /orgs/${org}/notes/${encodeURIComponent(`uploaded ${id}`)}`)).body;
    await expect.poll(() => note("zoe", "zoo", "sent"), { interval: 100 }).toBe("zoo");
    await expect.poll(() => note("ann", "acme", "plan"), { interval: 100 }).toBe("acme");
    expect(await note("ann", "acme", "sent")).toBe("none");
  });

  test("a run of a job is seen and cancelled only in the tenant that started it, where its runner works", async () => {
    const start = async (person: string, org: string): Promise<string> =>
      (await ask(person, `POST /orgs/${org}/archives`, { title: "all" })).body as string;
    const [ours, theirs] = [await start("ann", "acme"), await start("zoe", "zoo")];
    const answers = [
      await ask("ann", "GET /orgs/acme/archives"),
      await ask("zoe", "GET /orgs/zoo/archives"),
      await ask("ann", `GET /orgs/acme/archives/${theirs}`),
      await ask("ann", `DELETE /orgs/acme/archives/${theirs}`),
    ];
    expect(answers.map(({ status, body }) => (status === 200 ? body : status))).toEqual([[ours], [theirs], 404, false]);
    const note = async (person: string, org: string, id: string): Promise<unknown> =>
      (await ask(person, `GET /orgs/${org}/notes/${encodeURIComponent(`archived ${id}`)}`)).body;
    await expect.poll(() => note("zoe", "zoo", theirs), { interval: 100, timeout: 120_000 }).toBe("zoo all");
    await expect.poll(() => note("ann", "acme", ours), { interval: 100, timeout: 120_000 }).toBe("acme all");
    const state = async (): Promise<unknown> => (await ask("zoe", `GET /orgs/zoo/archives/${theirs}`)).body;
    await expect.poll(state, { interval: 100, timeout: 120_000 }).toBe("done");
    expect((await ask("ann", "GET /orgs/acme/archives")).body).toEqual([ours]);
  });

  test("operators name each tenant, and a user enters only own ones", async () => {
    const [figures] = [(await ask("ann", "GET /orgs/acme/figures")).body as { count: number }];
    expect((await ask("root", "GET /census?org=acme&org=nowhere")).body).toEqual([figures.count, 0]);
    expect((await ask("ann", "GET /mine?org=acme")).body).toEqual([figures.count]);
    expect(await ask("ann", "GET /mine?org=acme&org=zoo")).toEqual(denied);
  });

  const hasConsole = ["in one process", "as services"].includes(topology[0]);

  test.skipIf(!hasConsole)("a document that is created or edited in the console belongs to its tenant", async () => {
    const console = `http://localhost:${app.port}/_fw/console`;
    const token = /name="fw-console" content="([^"]+)"/.exec(await (await fetch(console)).text())?.[1] ?? "";
    const operate = async (operation: string, input: object): Promise<Record<string, unknown>> => {
      const headers = { "x-fw-console": token };
      const answer = await fetch(`${console}/api/${operation}`, {
        method: "POST",
        headers,
        body: JSON.stringify(input),
      });
      return (await answer.json()) as Record<string, unknown>;
    };
    const own = await open("ann", "acme", "written by code");
    const { documents } = await operate("documents", { kind: "tickets", filters: [], orders: [], id: `acme/${own}` });
    const [{ fields, version } = { fields: {}, version: "" }] = documents as { fields: object; version: string }[];
    const json = JSON.stringify({ ...fields, title: "written by hand" });
    expect(await operate("documents/create", { kind: "tickets", json })).toEqual({
      error: "name the tenant that the document belongs to",
    });
    const created = await operate("documents/create", { kind: "tickets", tenant: "acme", id: "by-hand", json });
    expect(created).toEqual({ id: "acme/by-hand" });
    expect((await ask("ann", "GET /orgs/acme/tickets/by-hand")).body).toMatchObject({ title: "written by hand" });
    expect((await ask("zoe", "GET /orgs/zoo/tickets/by-hand")).status).toBe(404);
    const edited = { kind: "tickets", id: `acme/${own}`, version, json: json.replace("written", "edited") };
    expect(await operate("documents/save", { ...edited, json })).toHaveProperty("error");
    expect(await operate("documents/save", edited)).toBeNull();
    expect((await ask("ann", `GET /orgs/acme/tickets/${own}`)).body).toMatchObject({ title: "edited by hand" });
  });
});
