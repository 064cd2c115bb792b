import { Entity, Job, Runner, Subscribe, blob, isNotFound, transaction } from "fw";
import type { Blob, Context, ID, Index, Int } from "fw";
import { attachments, textKey } from "./attachments.ts";
import { contentOf, notes } from "./note.ts";
import { wordsOf } from "./text.ts";

/** The number of characters of an attachment to index. */
const searched = 50_000;

/** Extracts the text of uploads, so that searches find their notes. */
export const extractText = Subscribe(attachments.uploaded, async (ctx, { key, contentType }) => {
  const [folder = "", kind, name = ""] = key.split("/");
  if (kind !== "files") return; // skip the text objects that this handler writes itself
  if (!contentType.startsWith("text/")) return;
  const note = await notes.query().where("folder", "==", folder).first(ctx);
  const text = await beginningOf(ctx, key);
  if (note === undefined || text === undefined) return; // deleted in the meantime
  await attachments.put(ctx, textKey(folder, name), blob(text, { type: "text/plain" }));
  await indexNote(ctx, note.slug);
});

/** Reindexes a note and its attachments. */
export async function indexNote(ctx: Context, slug: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const note = await notes.find(tx, slug);
    if (note === undefined) return;
    const attachedWords = wordsOf(await attachedText(tx, note.folder));
    const { words } = contentOf(note, attachedWords);
    await notes.put(tx, { ...note, attachedWords, words });
  });
}

/** Reindexes every note, in several parallel tasks. */
export const reindex = Job("reindex");
export const reindexNotes = Runner(
  reindex,
  async (ctx, _args, run) => {
    let [seen, indexed] = [0, 0];
    for await (const { slug } of notes.query().each(ctx)) {
      if (ctx.signal.aborted) throw new Error("stopped before the end");
      if (seen++ % run.tasks !== run.task) continue;
      await indexNote(ctx, slug);
      indexed++;
    }
    await reindexed.put(ctx, { id: `${run.id}-${run.task}`, task: run.task, indexed, at: ctx.now() });
  },
  { tasks: 2, timeout: "30m" },
);

/** The result of one of the job's tasks. */
export interface Reindexed {
  id: ID;
  task: Int;
  /** The number of notes indexed by the task. */
  indexed: Int;
  at: Index<Date>;
}
export const reindexed = Entity<Reindexed>("reindexed");

async function attachedText(ctx: Context, folder: string): Promise<string> {
  const texts: string[] = [];
  for await (const { key } of attachments.list(ctx, `${folder}/text/`)) texts.push((await beginningOf(ctx, key)) ?? "");
  return texts.join("\n");
}

/** Returns the beginning of an attachment's text; undefined if the attachment was deleted in the meantime. */
async function beginningOf(ctx: Context, key: string): Promise<string | undefined> {
  try {
    return await readText(await attachments.get(ctx, key));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function readText(content: Blob): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of content.stream()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= searched) break;
  }
  return text.slice(0, searched);
}
