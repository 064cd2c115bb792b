import { expect, onTestFinished, test } from "vitest";
import type { ID, Index } from "../../declare/binding.ts";
import type { Context } from "../../declare/context.ts";
import { Entity } from "../../declare/entity.ts";
import { tries } from "../../lib/testing/tries.ts";
import type { Platform, Transaction } from "../../platform/contract.ts";
import { transact } from "../../platform/transact.ts";
import { openServed } from "../../platform/loopback/testing/served.ts";
import type { RawRequest } from "../decode/raw-request.ts";
import { definitionsOf } from "../definitions.ts";
import { bundleOf, documentOf, pages, start } from "../testing/app.ts";

/** The number of random writes. `FW_TRIES=500` makes 100,000. */
const totalWrites = tries(200);

/**
 * A change counts as missed if an open page does not show it within this many event loop turns of 100 ms. A deadline
 * would also count changes that wait in sockets while other processes use the processor.
 */
const missedTurns = 200;

interface Ticket {
  id: ID;
  team: Index<string>;
  priority: Index<number>;
}
interface Note {
  id: ID;
  text: string;
}
const tickets = Entity<Ticket>("tickets");
const notes = Entity<Note>("notes");
const many = false;
const entities = [
  {
    declaration: tickets as never,
    name: "tickets",
    id: "id",
    indexed: [
      { name: "team", many },
      { name: "priority", many },
    ],
    transient: [],
    countValues: { team: ["red", "green", "blue"] },
    indexes: [["team", "priority"].map((field) => ({ field, direction: "asc" as const }))],
  },
  { declaration: notes as never, name: "notes", id: "id", indexed: [], transient: [], indexes: [] },
];

type Model = { readonly tickets: Map<string, Omit<Ticket, "id">>; readonly notes: Map<string, string> };

const teams = ["red", "green", "blue"];
const ids = ["1", "2", "3", "4", "5", "6", "7", "8"];

interface Kind {
  /** Renders the page by reading the store. */
  readonly render: (ctx: Context, of: string) => Promise<unknown>;
  /** Returns what the page should show after all writes. */
  readonly expected: (model: Model, of: string) => unknown;
  readonly parameters: readonly string[];
}

const ofTeam = ({ tickets: all }: Model, team: string): readonly [string, Omit<Ticket, "id">][] =>
  [...all].filter(([, ticket]) => ticket.team === team).toSorted(([a], [b]) => (a < b ? -1 : 1));
const byPriority = (model: Model, team: string): readonly string[] =>
  ofTeam(model, team)
    .toSorted(([, a], [, b]) => a.priority - b.priority)
    .map(([id]) => id);

const kinds: Readonly<Record<string, Kind>> = {
  ticket: {
    render: async (ctx, id) => (await tickets.find(ctx, id))?.priority ?? null,
    expected: (model, id) => model.tickets.get(id)?.priority ?? null,
    parameters: ids,
  },
  // Makes the second read depend on the first.
  noted: {
    render: async (ctx, id) => {
      const ticket = await tickets.find(ctx, id);
      return ticket === undefined ? null : ((await notes.find(ctx, ticket.team))?.text ?? null);
    },
    expected: (model, id) => model.notes.get(model.tickets.get(id)?.team ?? "") ?? null,
    parameters: ids,
  },
  team: {
    render: async (ctx, team) => (await tickets.query().where("team", "==", team).all(ctx)).map(({ id }) => id),
    expected: (model, team) => ofTeam(model, team).map(([id]) => id),
    parameters: teams,
  },
  first: {
    render: async (ctx, team) =>
      (await tickets.query().where("team", "==", team).orderBy("priority").first(ctx))?.id ?? null,
    expected: (model, team) => byPriority(model, team)[0] ?? null,
    parameters: teams,
  },
  count: {
    render: (ctx, team) => tickets.query().where("team", "==", team).count(ctx),
    expected: (model, team) => ofTeam(model, team).length,
    parameters: teams,
  },
  counts: {
    render: async (ctx) => (await tickets.query().countBy(ctx, "team" as never)).map(({ count }) => count),
    expected: (model) => teams.map((team) => ofTeam(model, team).length),
    parameters: ["all"],
  },
};

/** An open live page. */
class Follower {
  readonly address: string;
  readonly expected: (model: Model) => string;
  #shown = "";
  #hash = "none";
  #arrived: (() => void) | undefined;
  #ending = new AbortController();

  constructor(kind: string, parameter: string) {
    this.address = `/${kind}/${parameter}`;
    this.expected = (model) => JSON.stringify(kinds[kind]?.expected(model, parameter));
  }

  /** Opens the page. After the first time, sends the hash of what it last showed. */
  async open(url: string): Promise<void> {
    this.#ending.abort();
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const answer = await fetch(url + this.address, { headers: { "FW-Live": this.#hash }, signal });
    // The stream ends when its request has taken too long. As in a browser, the page is then opened again.
    void this.#read(answer).then(
      () => this.open(url),
      () => {},
    );
  }

  close(): void {
    this.#ending.abort();
  }

  async #read(answer: Response): Promise<void> {
    let text = "";
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = `${text}${chunk}`.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) this.#take(event);
    }
  }

  #take(event: string): void {
    const [, hash, data] = /^id: (.*)\ndata: (.*)$/.exec(event) ?? [];
    if (hash === undefined || data === undefined) return;
    this.#hash = hash;
    this.#shown = JSON.parse(data) as string;
    this.#arrived?.();
  }

  /** Resolves with true once the page shows a text, or with false if it does not in time. */
  async shows(text: string): Promise<boolean> {
    let turns = 0;
    while (this.#shown !== text && turns < missedTurns)
      turns += await new Promise<number>((resolve) => {
        const timer = setTimeout(resolve, 100, 1);
        this.#arrived = () => {
          clearTimeout(timer);
          resolve(0);
        };
      });
    return this.#shown === text;
  }
}

const one = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)] as T;

test(
  "after random writes in any process, every open page shows what a recomputation of all writes does",
  { timeout: 60_000 + totalWrites * 100 },
  async () => {
    const server = await openServed(definitionsOf({ entities, followsPages: true }));
    onTestFinished(() => server.dispose());
    const routes = Object.entries(kinds).map(([name, { render }]) => [
      `GET /${name}/{of}`,
      {
        live: true,
        run: async (ctx: Context, { params }: RawRequest) =>
          documentOf(JSON.stringify(await render(ctx, params[0] ?? ""))),
      },
    ]);
    const bundle = bundleOf(pages(Object.fromEntries(routes) as never));
    const app = await start({ ...bundle, entities, keepsData: true, followsPages: true }, { platform: server.client });
    onTestFinished(() => app[Symbol.asyncDispose]());

    const model: Model = { tickets: new Map(), notes: new Map() };
    /** Draws a random write and adds it to the model. A transaction takes several turns to commit. */
    const drawWrite = (): { isTransaction?: true; apply: (platform: Platform) => Promise<unknown> } => {
      const [id, team, priority, text] = [one(ids), one(teams), Math.random(), String(Math.random())];
      const [ticket, note] = [
        { kind: "tickets", id },
        { kind: "notes", id: team },
      ];
      const kind = Math.floor(Math.random() * 6);
      if (kind === 0) model.tickets.delete(id);
      if (kind >= 2) model.tickets.set(id, { team, priority });
      if (kind === 1 || kind === 2) model.notes.set(team, text);
      if (kind === 0) return { apply: ({ entities: store }) => store.delete(ticket) };
      if (kind === 1) return { apply: ({ entities: store }) => store.upsert(note, { text }) };
      if (kind >= 3) return { apply: ({ entities: store }) => store.upsert(ticket, { team, priority }) };
      const writeBoth = async (tx: Transaction): Promise<void> => {
        tx.upsert(note, { text });
        tx.upsert(ticket, { team, priority });
      };
      return { isTransaction: true, apply: (platform) => transact(platform, writeBoth) };
    };
    /** Makes a few writes as another process, or many at once in the process that has the store. */
    const write = async (): Promise<number> => {
      const isOther = Math.random() < 0.5;
      const count = 1 + Math.floor(Math.random() * (isOther ? 3 : 200));
      const pending: Promise<unknown>[] = [];
      for (let i = 0; i < count; i++) {
        const { isTransaction = false, apply } = drawWrite();
        const done = apply(isOther ? server.client : server.local);
        if (isOther || isTransaction) await done;
        else pending.push(done);
      }
      await Promise.all(pending);
      return count;
    };

    const followers = Object.entries(kinds).flatMap(([kind, { parameters }]) =>
      parameters.map((parameter) => new Follower(kind, parameter)),
    );
    await Promise.all(followers.map((each) => each.open(app.url)));
    const misses: string[] = [];
    for (let writes = 0; writes < totalWrites;) {
      const reopened = Math.random() < 0.1 ? one(followers).open(app.url) : undefined;
      writes += await write();
      await reopened;
      await Promise.all(
        followers.map(async (each) => {
          const expected = each.expected(model);
          if (!(await each.shows(expected))) misses.push(`${each.address} after ${writes} writes: ${expected}`);
        }),
      );
    }
    for (const each of followers) each.close();
    expect(misses).toEqual([]);
  },
);
