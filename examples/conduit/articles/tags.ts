import { API, Entity, type Context, type ID, type Index, type Int } from "fw";

/** A tag, identified by its name, with its number of articles. */
export interface Tag {
  name: ID;
  articles: Index<Int>;
}
export const tags = Entity<Tag>("tags");

/** The maximum number of tags to list; the most used come first. */
const mostTags = 50;

export const listTags = API("GET /api/tags", async (ctx) => {
  const found = await tags.query().where("articles", ">", 0).orderBy("articles", "desc").limit(mostTags).all(ctx);
  return { tags: found.map(({ name }) => name) };
});

/** Updates the counts of an article's old and new tags, in the transaction that changes the article. */
export async function retag(tx: Context, before: readonly string[], after: readonly string[]): Promise<void> {
  const changed = [...before.filter((tag) => !after.includes(tag)), ...after.filter((tag) => !before.includes(tag))];
  const counts = await Promise.all(changed.map((name) => tags.find(tx, name)));
  await Promise.all(
    changed.map((name, i) => {
      const count = counts[i]?.articles ?? 0;
      return tags.put(tx, { name, articles: count + (after.includes(name) ? 1 : -1) });
    }),
  );
}
