import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Random } from "../../../../fake-cloud/src/random.ts";
import { tries } from "../../lib/testing/tries.ts";
import type { Definitions, Platform } from "../contract.ts";
import type { Delivery } from "../messages.ts";
import { openGcp } from "../gcp/open.ts";
import { makeBucket, onFake } from "../gcp/testing/fake.ts";
import { LocalMessageTransfer } from "../local/messages/message-transfer.ts";
import { openLocal, type LocalDispatcher } from "../local/open.ts";
import { withMethods } from "../with-methods.ts";
import { bytesOnDisk } from "../postgres/objects/bytes.ts";
import { openPostgres } from "../postgres/open.ts";
import { hasPostgres, startServer, type TestServer } from "../postgres/testing/server.ts";
import { completeCopy, copyData, copyKinds, type CopySide } from "./copy.ts";
import { digestsOf, messageDigestsOf } from "./digest.ts";
import { copyMessages, type MessageStore } from "./messages.ts";

const definitions: Definitions = {
  kinds: [{ kind: "row", properties: [], composites: [] }, ...copyKinds],
  buckets: ["files"],
};
const scope = { kinds: ["row"], buckets: ["files"], accounts: true, origin: "the test" };

let directory: string;
let number = 0;
let server: TestServer | undefined;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "fw-copy-"));
  if (hasPostgres()) server = await startServer();
});
afterAll(() => {
  server?.stop();
  rmSync(directory, { recursive: true });
});

async function local(): Promise<CopySide> {
  const platform = await openLocal(join(directory, String(++number)), definitions, { temporary: true });
  onTestFinished(() => platform.close());
  const { accounts } = platform;
  const transfer = { verifierOf: accounts.verifierOf.bind(accounts), take: accounts.take.bind(accounts) };
  return { platform, transfer, hashesContent: true };
}

async function postgres(): Promise<CopySide> {
  const address = server?.address(`copy_${++number}`) ?? "";
  const platform = await openPostgres(address, definitions, { bytes: bytesOnDisk(join(directory, String(number))) });
  onTestFinished(() => platform.close());
  return { platform, transfer: platform.transfer, hashesContent: true };
}

async function google(): Promise<CopySide> {
  const on = await onFake();
  await makeBucket(on, "files");
  on.fake.grant(`serviceAccount:${on.account}`, "roles/owner");
  const platform = await openGcp(on.place, definitions, on.cloud);
  onTestFinished(() => platform.close());
  return { platform, hashesContent: false };
}

const put = (platform: Platform, key: string, text: string): Promise<unknown> =>
  platform.objects.put("files", key, new Blob([text]).stream(), { contentType: "text/plain" });

async function fill({ entities, objects, accounts }: Platform): Promise<void> {
  const fields = { at: new Date(5), big: 2n ** 60n, not: NaN, zero: -0, list: [{ a: null }], text: "é😀" };
  for (const id of ["b", "a", "é", "😀", "￿"]) await entities.upsert({ kind: "row", id }, { ...fields, id });
  await entities.upsert({ kind: "row", id: "ends" }, {}, { expires: new Date(Date.now() + 3_600_000) });
  await put({ objects } as Platform, "a/b.txt", "waves");
  await put({ objects } as Platform, "empty", "");
  const account = { name: "Ada", emailVerified: true, claims: { roles: ["editor"] }, password: "a good password" };
  await accounts.create({ ...account, email: "Ada@example.com", id: "ada" });
  await accounts.create({ ...account, email: "bob@example.com", id: "bob" });
  await accounts.setDisabled("bob", true);
}

async function expectSame(from: CopySide, to: CopySide): Promise<void> {
  const [one, other] = await Promise.all([from, to].map((side) => digestsOf(side, scope, true)));
  expect(other).toEqual(one);
  expect(one?.map(({ items }) => items)).not.toContain(0);
}

describe.each([
  ["a directory", "PostgreSQL", local, postgres],
  ["PostgreSQL", "a directory", postgres, local],
  ["a directory", "Google Cloud", local, google],
  ["Google Cloud", "a directory", google, local],
  ["Google Cloud", "PostgreSQL", google, postgres],
])("from %s to %s", (from, to, openSource, openTarget) => {
  const skip = !hasPostgres() && [from, to].includes("PostgreSQL");

  test("everything is copied, and later runs copy only changes and deletions", { skip }, async () => {
    const [source, target] = [await openSource(), await openTarget()];
    await fill(source.platform);
    expect(await copyData(source, target, scope, false)).toMatchObject({
      documents: 6,
      objects: 2,
      accounts: 2,
      writes: 10,
    });
    await expectSame(source, target);
    expect(await copyData(source, target, scope, false)).toMatchObject({ writes: 0, deletions: 0 });

    const { entities, objects, accounts } = source.platform;
    await entities.upsert({ kind: "row", id: "b" }, { changed: true });
    await entities.delete({ kind: "row", id: "a" });
    await put(source.platform, "a/b.txt", "WAVES");
    await objects.delete("files", "empty");
    await put(source.platform, "new", "new");
    await accounts.setClaims("ada", { roles: [] });
    await accounts.delete("bob");
    expect(await copyData(source, target, scope, true)).toMatchObject({ writes: 4, deletions: 3 });
    await expectSame(source, target);
  });
});

test(
  "passwords come along between stores that have their hashes, changed ones as well",
  { skip: !hasPostgres() },
  async () => {
    const [source, target] = [await local(), await postgres()];
    await fill(source.platform);
    expect(await copyData(source, target, scope, true)).toMatchObject({ withoutPassword: 0 });
    expect(await target.platform.accounts.checkPassword?.("ada@example.com", "a good password")).toMatchObject({
      id: "ada",
    });
    const { transfer: _, ...withoutHashes } = source;
    await source.platform.accounts.delete("ada");
    await source.platform.accounts.create({
      id: "ada",
      email: "Ada@example.com",
      name: "Ada",
      emailVerified: true,
      claims: {},
      password: "another password",
    });
    expect(await copyData(withoutHashes, target, scope, false)).toMatchObject({ withoutPassword: 2 });
    expect(await copyData(source, target, scope, true)).toMatchObject({ withoutPassword: 0 });
    expect(await target.platform.accounts.checkPassword?.("ada@example.com", "another password")).toMatchObject({
      id: "ada",
    });
  },
);

test("a target with data, or with the copy of another source, is refused and stays as it is", async () => {
  const [source, target] = [await local(), await local()];
  await put(target.platform, "own", "mine");
  await expect(copyData(source, target, scope, false)).rejects.toThrow("the target has data already");
  await target.platform.objects.delete("files", "own");
  await copyData(source, target, scope, false);
  await expect(copyData(source, target, { ...scope, origin: "another" }, false)).rejects.toThrow(
    "an unfinished copy of the test",
  );
  await put(source.platform, "one", "1");
  await copyData(source, target, scope, false);
  await completeCopy(target);
  await expect(copyData(source, target, scope, false)).rejects.toThrow("the target has data already");
});

test("a copy that is interrupted anywhere goes on where it was, while the source changes", async () => {
  const [source, target] = [await local(), await local()];
  const random = new Random(3);
  await fill(source.platform);
  for (let run = 0; run < tries(20); run++) {
    for (let n = 0; n < 10; n++) {
      const id = String(Math.floor(random.next() * 40));
      if (random.chance(0.3)) await source.platform.entities.delete({ kind: "row", id });
      else await source.platform.entities.upsert({ kind: "row", id }, { run });
    }
    await put(source.platform, `o${Math.floor(random.next() * 5)}`, String(run));
    let budget = Math.floor(random.next() * 15);
    const failing = withMethods(target.platform.entities, {
      upsert: (...args: Parameters<Platform["entities"]["upsert"]>) => {
        if (budget-- <= 0) return Promise.reject(new Error("interrupted"));
        return target.platform.entities.upsert(...args);
      },
    });
    const broken = { ...target, platform: { ...target.platform, entities: failing } };
    await copyData(source, broken, scope, false).catch((error: Error) => expect(error.message).toBe("interrupted"));
  }
  await copyData(source, target, scope, true);
  await expectSame(source, target);
});

describe.each([
  ["a directory", "PostgreSQL"],
  ["PostgreSQL", "a directory"],
  ["a directory", "a directory"],
])("messages from %s to %s", (from, to) => {
  const skip = !hasPostgres() && [from, to].includes("PostgreSQL");

  test("wait there as they did, dead ones too, and an interrupted move can be repeated", { skip }, async () => {
    const [source, target] = [await openWithMessages(from), await openWithMessages(to)];
    const { messages, dispatcher } = source.platform;
    await messages.send(mails, { body: '"fails"' });
    await messages.send(mails, { body: '"dies"' });
    const failing = dispatcher.deliver(({ body }) => Promise.reject(new Error(`no ${body}\ud800`)));
    await expect.poll(async () => (await dispatcher.dead()).length).toBe(2);
    await failing.stop();
    await dispatcher.replay("mail", (await dispatcher.dead())[0]?.id ?? "");
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await messages.send(mails, { body: '"é😀"', traceparent });
    await messages.send(mails, { body: '"later"', delay: 3_600_000 });
    await messages.send({ kind: "topic", name: "news" }, { body: '"all"' });

    const { transfer } = target.store;
    const broken = withMethods(transfer, { addDead: () => Promise.reject(new Error("interrupted")) });
    await expect(copyMessages(source.store, { ...target.store, transfer: broken })).rejects.toThrow("interrupted");
    expect(await copyMessages(source.store, target.store)).toBe(6);
    const digests = await messageDigestsOf(source.store);
    expect(digests.map(({ items }) => items)).toEqual([5, 1]);
    expect(await messageDigestsOf(target.store)).toEqual(digests);

    const deliveries: Delivery[] = [];
    const delivering = target.platform.dispatcher.deliver(async (delivery) => void deliveries.push(delivery));
    await expect
      .poll(() => deliveries.map(({ body }) => body).toSorted())
      .toEqual(['"all"', '"all"', '"fails"', '"é😀"']);
    await delivering.stop();
    expect(deliveries.find(({ body }) => body === '"é😀"')).toMatchObject({ attempt: 1, traceparent });
  });
});

const mails = { kind: "queue", name: "mails" } as const;

async function openWithMessages(place: string): Promise<{
  readonly platform: Pick<Platform, "messages"> & { readonly dispatcher: LocalDispatcher };
  readonly store: MessageStore;
}> {
  const delivery = { maxAttempts: 1, minBackoff: 10, maxBackoff: 10, deadline: 10_000, concurrency: 5 };
  const news = { kind: "topic", name: "news" } as const;
  const consumers = [
    { id: "mail", destination: mails, delivery },
    { id: "one", destination: news, delivery },
    { id: "two", destination: news, delivery },
  ];
  const at = join(directory, String(++number));
  const platform =
    place === "PostgreSQL"
      ? await openPostgres(
          server?.address(`messages_${number}`) ?? "",
          { kinds: [], consumers },
          { bytes: bytesOnDisk(at) },
        )
      : await openLocal(at, { kinds: [], consumers }, { temporary: true });
  onTestFinished(() => platform.close());
  const { dispatcher } = platform;
  const transfer = "store" in platform ? new LocalMessageTransfer(platform.store) : platform.messageTransfer();
  return { platform, store: { transfer, dead: dispatcher.dead.bind(dispatcher) } };
}
