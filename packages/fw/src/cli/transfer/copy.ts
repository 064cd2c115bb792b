import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { App } from "../../model/app.ts";
import { destinationsOf } from "../../model/declarations.ts";
import type { Definitions, Platform } from "../../platform/contract.ts";
import { withoutRules } from "../../platform/definitions.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { LocalMessageTransfer } from "../../platform/local/messages/message-transfer.ts";
import { openLocal } from "../../platform/local/open.ts";
import { completeCopy, copyData, copyKinds, type CopyCounts } from "../../platform/transfer/copy.ts";
import { digestsOf, type ListDigest } from "../../platform/transfer/digest.ts";
import { messageKeyKind, runKind } from "../../runtime/background/kinds.ts";
import { feedEventKind, feedKind } from "../../runtime/feed/kinds.ts";
import { readModel } from "../../topology/built-model.ts";
import { definitionsOfModel } from "../../topology/definitions.ts";
import { servicesDirectory } from "../../workspace/branch-data.ts";
import { appRoot, isInApplication, sourceRoot } from "../app-root.ts";
import { Refusal } from "../command.ts";
import { refuseDatabaseMark } from "../data/database-mark.ts";
import { localPlaceOf, openServedData } from "../data/local-or-deployed.ts";
import { refusalOf } from "../data/open.ts";
import type { IO } from "../io.ts";
import { placeOfObjects } from "../serve/data.ts";
import { rememberApp, transferScope } from "./run.ts";
import { moveMessages, refuseWaiting, type MessageSide, type WaitingCounts } from "./move-messages.ts";

interface CopyOptions {
  readonly final: true | undefined;
  readonly leaveMessages: true | undefined;
  readonly fromObjects: string | undefined;
  readonly toObjects: string | undefined;
}

/** One of the two stores, as named by the user. */
interface Place {
  readonly text: string;
  readonly isTarget: boolean;
  /** The location of a database's objects. */
  readonly objects: string | undefined;
}

interface CopyContext {
  readonly app: App;
  readonly io: IO;
  readonly isFinal: boolean;
}

/** Copies the data. Returns the text to print, and whether a final run found the same data in both stores. */
export async function runCopy(
  { from, to }: { readonly from: string; readonly to: string },
  { final, leaveMessages, fromObjects, toObjects }: CopyOptions,
  io: IO,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const app = await appOf([from, to], io);
  const context: CopyContext = { app, io, isFinal: final === true };
  const scope = { ...copiedData(app), origin: `${app.name} in ${originOf(from, io)}` };
  if (originOf(from, io) === originOf(to, io)) throw new Refusal("the two stores are the same");
  const source: Place = { text: from, isTarget: false, objects: fromObjects };
  const target: Place = { text: to, isTarget: true, objects: toObjects };
  const copy = async (
    one: MessageSide,
    other: MessageSide,
  ): Promise<{ readonly text: string; readonly isWhole: boolean }> => {
    const takesMessages = context.isFinal && leaveMessages !== true;
    if (takesMessages) await refuseWaiting(one, other);
    const counts = await copyData(one, other, scope, context.isFinal);
    if (!context.isFinal) return { text: describeCounts(counts), isWhole: true };
    const byContent = !(one.hashesContent && other.hashesContent);
    const messages = takesMessages ? await moveMessages(one, other) : [];
    const digests = await Promise.all(
      [one, other].map(async (side, i) => [...(await digestsOf(side, scope, byContent)), ...(messages[i] ?? [])]),
    );
    const comparison = describeDigests(digests[0] ?? [], digests[1] ?? []);
    if (comparison.isWhole) await completeCopy(other);
    return { ...comparison, text: describeCounts(counts) + comparison.text };
  };
  return explaining(() => withSide(source, context, (one) => withSide(target, context, (other) => copy(one, other))));
}

async function explaining<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isExpected = isPlatformError(error, "data") || isPlatformError(error, "unreachable");
    throw isExpected ? new Refusal(error.message) : refusalOf(error, undefined);
  }
}

/**
 * Returns the data to copy: the data of an export, and the documents of messages, runs and feeds. Without a run's
 * record, a job's message would start a task that was done or canceled.
 */
function copiedData(app: App): ReturnType<typeof transferScope> {
  const scope = transferScope(app);
  const stored = new Set(definitionsOfModel(app).kinds.map(({ kind }) => kind));
  const more = [messageKeyKind, runKind, feedKind, feedEventKind].filter((kind) => stored.has(kind));
  return { ...scope, kinds: [...scope.kinds, ...more] };
}

/** Reads the application from its source in the current directory, or from what `fw serve` left in a directory. */
async function appOf(places: readonly string[], io: IO): Promise<App> {
  const directories = places.filter((place) => !isDatabase(place) && !isGoogle(place));
  const models = directories.flatMap((place) => readModel(servicesDirectory(resolve(io.cwd, place))) ?? []);
  const [model] = isInApplication(io.cwd) ? [] : models;
  if (model !== undefined) return model.app;
  const { checkedApp } = await import("../checked-app.ts");
  return checkedApp(sourceRoot(io.cwd));
}

function isDatabase(place: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(place);
}

function isGoogle(place: string): boolean {
  return place.startsWith("google://");
}

/** Returns the name of a store, without a password. */
function originOf(place: string, io: IO): string {
  if (isGoogle(place)) return place;
  if (!isDatabase(place)) {
    const directory = resolve(io.cwd, place);
    return existsSync(directory) ? realpathSync(directory) : directory;
  }
  if (!URL.canParse(place)) return "a database";
  const { host, pathname, searchParams } = new URL(place);
  return `postgres://${host}${pathname}?schema=${searchParams.get("schema") ?? "fw"}`;
}

/** Opens a store for `work` without consumers, so that nothing in it starts. */
async function withSide<T>(place: Place, context: CopyContext, work: (side: MessageSide) => Promise<T>): Promise<T> {
  const own = { ...definitionsOfModel(context.app), consumers: [] };
  const definitions: Definitions = place.isTarget
    ? { ...withoutRules(own), kinds: [...withoutRules(own).kinds, ...copyKinds] }
    : own;
  if (isDatabase(place.text)) return withDatabase(place, definitions, context, work);
  if (isGoogle(place.text)) return withGoogle(place, definitions, context, work);
  return withDirectory(place, definitions, context, work);
}

async function withDirectory<T>(
  { text, isTarget }: Place,
  definitions: Definitions,
  { app, io, isFinal }: CopyContext,
  work: (side: MessageSide) => Promise<T>,
): Promise<T> {
  if (/^[a-z]+:\/\//i.test(text))
    throw new Refusal(`a store is a directory, postgres://… or google://project/env, not ${text}`);
  const { directory, serving } = await localPlaceOf({ data: text }, io);
  refuseDatabaseMark(directory, "name the database instead");
  if (!isTarget && !existsSync(join(directory, "store"))) throw new Refusal(`${directory} has no data`);
  if (serving !== undefined) {
    if (isTarget || isFinal) throw new Refusal(`fw serve is using ${directory}; stop it first`);
    return closing(openServedData(serving), (platform) => work({ platform, hashesContent: true }));
  }
  const local = await openLocal(directory, definitions);
  return closing(local, async (platform) => {
    const { accounts } = local;
    const transfer = { verifierOf: accounts.verifierOf.bind(accounts), take: accounts.take.bind(accounts) };
    const messages = {
      transfer: new LocalMessageTransfer(local.store),
      dead: local.dispatcher.dead.bind(local.dispatcher),
    };
    const result = await work({ platform, hashesContent: true, transfer, messages });
    if (isTarget) await rememberApp(directory, app);
    return result;
  });
}

async function withDatabase<T>(
  { text, objects }: Place,
  definitions: Definitions,
  { io }: CopyContext,
  work: (side: MessageSide) => Promise<T>,
): Promise<T> {
  const place = objects ?? (io.env["FW_OBJECTS"] || undefined);
  const { buckets = [] } = definitions;
  if (place === undefined && buckets.length > 0)
    throw new Refusal(
      "missing --from-objects, --to-objects or FW_OBJECTS: where the objects of the database are stored",
    );
  const empty = mkdtempSync(join(tmpdir(), "fw-copy-"));
  try {
    const platform = await openDatabase(
      text,
      definitions,
      place === undefined ? empty : placeOfObjects(place, io.cwd),
      io,
    );
    const { transfer, dispatcher } = platform;
    const messages = { transfer: platform.messageTransfer(), dead: dispatcher.dead.bind(dispatcher) };
    return await closing(platform, () => work({ platform, hashesContent: true, transfer, messages }));
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
}

async function openDatabase(address: string, definitions: Definitions, objects: string, { env }: IO) {
  const { openPostgres } = await import("../../platform/postgres/open.ts");
  const { openBytes } = await import("../../platform/postgres/objects/open-bytes.ts");
  return openPostgres(address, definitions, { bytes: await openBytes(objects, env) });
}

async function withGoogle<T>(
  { text }: Place,
  definitions: Definitions,
  { app, io }: CopyContext,
  work: (side: MessageSide) => Promise<T>,
): Promise<T> {
  const [, project = "", env = "", , region] =
    /^google:\/\/([a-z0-9-]+)\/([a-z0-9-]+)(\?region=([a-z0-9-]+))?$/.exec(text) ?? [];
  if (project === "")
    throw new Refusal(`a deployed application is google://project/env or google://project/env?region=…, not ${text}`);
  const { withDeployed } = await import("../deployed/deployed.ts");
  const { openOperator } = await import("../../deploy/operate/operator.ts");
  const { countTasks } = await import("../../deploy/operate/waiting-tasks.ts");
  const target = { project, env, region };
  return withDeployed({ root: appRoot(io.cwd), target, env: io.env }, async ({ place, connected }) => {
    const { platform } = await openOperator(place, definitions, connected, io.env);
    const queues = app.packages.flatMap(destinationsOf).filter(({ kind }) => kind === "queue");
    const countWaiting = async (): Promise<WaitingCounts> =>
      new Map(
        await Promise.all(
          queues.map(async ({ name }) => [`queue:${name}`, await countTasks(place, name, connected)] as const),
        ),
      );
    return closing(platform, () => work({ platform, hashesContent: false, countWaiting }));
  });
}

async function closing<P extends Platform, T>(platform: P, work: (platform: P) => Promise<T>): Promise<T> {
  try {
    return await work(platform);
  } finally {
    await platform.close();
  }
}

function describeCounts({ documents, objects, accounts, writes, deletions, withoutPassword }: CopyCounts): string {
  const counts = `${documents} documents, ${objects} objects and ${accounts} accounts`;
  const passwords =
    withoutPassword === 0
      ? ""
      : `${withoutPassword} accounts have a password that this run could not copy; a final run copies it if both stores have hashes\n`;
  return `${counts}: ${writes} written, ${deletions} deleted\n${passwords}`;
}

function describeDigests(
  source: readonly ListDigest[],
  target: readonly ListDigest[],
): { readonly text: string; readonly isWhole: boolean } {
  const lines = source.map(({ list, items, sha256 }, index) => {
    const other = target[index];
    return other?.items === items && other.sha256 === sha256
      ? `${list}  ${items}  ${sha256}`
      : `${list}  differ: ${items} in the source, ${other?.items} in the target`;
  });
  const isWhole = lines.every((line) => !line.includes("  differ: "));
  const end = isWhole
    ? "both stores have the same data; the copy is complete"
    : "the stores differ: stop whatever writes to them, and run the copy again";
  return { text: [...lines, end].map((line) => `${line}\n`).join(""), isWhole };
}
