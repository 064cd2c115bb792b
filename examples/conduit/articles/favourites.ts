import { API, transaction, type Context } from "fw";
import { articles, bySlug, favouriteId, favourites } from "./articles.ts";
import { shown, type Shown } from "./shown.ts";
import type { ArticleRef } from "./writing.ts";

export const favorite = API(
  "POST /api/articles/{slug}/favorite",
  (ctx, { slug }: ArticleRef) => mark(ctx, slug, true),
  {
    signIn: true,
  },
);

export const unfavorite = API(
  "DELETE /api/articles/{slug}/favorite",
  (ctx, { slug }: ArticleRef) => mark(ctx, slug, false),
  {
    signIn: true,
  },
);

/** Adds or removes a favourite. Repeating it does not change the article's count again. */
async function mark(ctx: Context, slug: string, wanted: boolean): Promise<Shown> {
  const [person, { id: article }] = [ctx.user().id, await bySlug(ctx, slug)];
  const id = favouriteId(person, article);
  const marked = await transaction(ctx, async (tx) => {
    const [current, isMarked] = [await articles.get(tx, article), (await favourites.find(tx, id)) !== undefined];
    if (isMarked === wanted) return current;
    if (wanted) await favourites.create(tx, { id, article, person, since: tx.now() });
    else await favourites.delete(tx, id);
    return articles.update(tx, article, (each) => ({ ...each, favourites: each.favourites + (wanted ? 1 : -1) }));
  });
  return shown(ctx, marked);
}
