import { randomBytes } from "node:crypto";
import { API, Errorf, isTaken, transaction, type Context, type Path } from "fw";
import { blank, invalid } from "../shared/invalid.ts";
import { articles, bySlug, type Article } from "./articles.ts";
import { shown } from "./shown.ts";
import { retag } from "./tags.ts";

export interface ArticleRef {
  slug: Path;
}
export const getArticle = API("GET /api/articles/{slug}", async (ctx, { slug }: ArticleRef) =>
  shown(ctx, await bySlug(ctx, slug)),
);

export interface Publish {
  article: { title?: string; description?: string; body?: string; tagList?: string[] };
}
export const publish = API(
  "POST /api/articles",
  async (ctx, { article }: Publish) => {
    const { title = "", description = "", body = "", tagList = [] } = article;
    const missing = blank({ title, description, body });
    if (missing) return invalid(missing);
    const now = ctx.now();
    const content = { author: ctx.user().id, title, description, body, favourites: 0, created: now, updated: now };
    const tags = distinct(tagList);
    const published = await withSlug(title, (slug) =>
      transaction(ctx, async (tx) => {
        await retag(tx, [], tags);
        return articles.create(tx, { ...content, slug, tags });
      }),
    );
    return shown(ctx, published);
  },
  { signIn: true, status: 201 },
);

export interface Revise extends ArticleRef {
  article: { title?: string; description?: string; body?: string; tagList?: string[] };
}
export const revise = API(
  "PUT /api/articles/{slug}",
  async (ctx, { slug, article: { tagList, ...changes } }: Revise) => {
    const { id, title } = await own(ctx, slug);
    const missing = blank(changes);
    if (missing) return invalid(missing);
    const revised = (newSlug: string): Promise<Article> =>
      transaction(ctx, async (tx) => {
        const { tags: before } = await articles.get(tx, id);
        const tags = tagList === undefined ? before : distinct(tagList);
        await retag(tx, before, tags);
        return articles.update(tx, id, (each) => ({ ...each, ...changes, tags, slug: newSlug, updated: ctx.now() }));
      });
    const retitled = changes.title !== undefined && changes.title !== title;
    return shown(ctx, await (retitled ? withSlug(changes.title ?? "", revised) : revised(slug)));
  },
  { signIn: true },
);

export const remove = API(
  "DELETE /api/articles/{slug}",
  async (ctx, { slug }: ArticleRef): Promise<void> => {
    const { id } = await own(ctx, slug);
    await transaction(ctx, async (tx) => {
      const { tags } = await articles.get(tx, id);
      await retag(tx, tags, []);
      await articles.delete(tx, id);
    });
  },
  { signIn: true },
);

/** Returns an article if the current user may change it. */
async function own(ctx: Context, slug: string): Promise<Article> {
  const article = await bySlug(ctx, slug);
  if (article.author !== ctx.user().id) throw Errorf(403, "this article is somebody else's");
  return article;
}

/** Stores an article under a slug of its title. Appends a suffix if another article has that slug. */
async function withSlug(title: string, write: (slug: string) => Promise<Article>): Promise<Article> {
  const words =
    title
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join("-") ?? "article";
  try {
    return await write(words);
  } catch (error) {
    if (!isTaken(error, "slug")) throw error;
    return write(`${words}-${randomBytes(4).toString("hex")}`);
  }
}

function distinct(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()).filter(Boolean))].toSorted();
}
