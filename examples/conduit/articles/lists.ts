import { API, type Context, type Int, type Max, type Min, type Query } from "fw";
import { follows, people } from "../people/people.ts";
import { articles, favourites, type Article } from "./articles.ts";
import { listedOf, type Listed } from "./shown.ts";

/** The page to return. `limit` and `offset` together stay within the 1,000 documents that a query reads. */
export interface Part {
  limit?: Query<Int & Min<0> & Max<100>>;
  offset?: Query<Int & Min<0> & Max<900>>;
}

export interface ArticleList {
  articles: Listed[];
  articlesCount: Int;
}

/** The articles of a page, and the total number of matches. */
interface Found {
  items: readonly Article[];
  count: Int;
}

const usual = { limit: 20, offset: 0 };

export interface ListArticles extends Part {
  tag?: Query;
  author?: Query;
  favorited?: Query;
}
export const listArticles = API("GET /api/articles", async (ctx, filter: ListArticles) =>
  answer(
    ctx,
    filter.favorited === undefined ? await filtered(ctx, filter) : await favouritesOf(ctx, filter.favorited, filter),
  ),
);

export const feed = API(
  "GET /api/articles/feed",
  async (ctx, part: Part) => {
    const followed = await follows.query().where("follower", "==", ctx.user().id).all(ctx);
    const authors = followed.map((each) => each.followed);
    return answer(ctx, await writtenBy(ctx, authors, part));
  },
  { signIn: true },
);

async function answer(ctx: Context, { items, count }: Found): Promise<ArticleList> {
  return { articles: await listedOf(ctx, items), articlesCount: count };
}

async function filtered(ctx: Context, { tag, author, ...part }: ListArticles): Promise<Found> {
  let q = articles.query();
  if (tag !== undefined) q = q.where("tags", "contains", tag);
  if (author !== undefined) q = q.where("author", "==", await idOf(ctx, author));
  const { limit, offset } = { ...usual, ...part };
  const newest =
    limit === 0
      ? []
      : await q
          .orderBy("created", "desc")
          .limit(offset + limit)
          .all(ctx);
  return { items: newest.slice(offset), count: await q.count(ctx) };
}

/** Returns a user's favourites that match the other filters, newest first. */
async function favouritesOf(ctx: Context, username: string, { tag, author, ...part }: ListArticles): Promise<Found> {
  const marks = await favourites
    .query()
    .where("person", "==", await idOf(ctx, username))
    .orderBy("since", "desc")
    .limit(1000)
    .all(ctx);
  const wanted = author === undefined ? undefined : await idOf(ctx, author);
  const known = await articles.getMany(
    ctx,
    marks.map(({ article }) => article),
  );
  const items = known.filter(
    (each): each is Article =>
      each !== undefined &&
      (tag === undefined || each.tags.includes(tag)) &&
      (wanted === undefined || each.author === wanted),
  );
  const { limit, offset } = { ...usual, ...part };
  return { items: items.slice(offset, offset + limit), count: items.length };
}

/** The maximum number of values in a query's filter. */
const mostCompared = 30;

/** Returns the articles of these authors, newest first, with one query per group of authors. */
async function writtenBy(ctx: Context, authors: readonly string[], part: Part): Promise<Found> {
  const { limit, offset } = { ...usual, ...part };
  const groups = Array.from({ length: Math.ceil(authors.length / mostCompared) }, (_, i) =>
    authors.slice(i * mostCompared, (i + 1) * mostCompared),
  );
  const found = await Promise.all(
    groups.map(async (group) => {
      const q = articles.query().where("author", "in", group);
      const newest = await q
        .orderBy("created", "desc")
        .limit(offset + Math.max(limit, 1))
        .all(ctx);
      return { newest, count: await q.count(ctx) };
    }),
  );
  const newest = found.flatMap((each) => each.newest).toSorted((a, b) => b.created.getTime() - a.created.getTime());
  return {
    items: newest.slice(offset, offset + limit),
    count: found.reduce((sum, { count }) => sum + count, 0),
  };
}

/** Returns the id of a user; for an unknown name "", which matches no article. */
async function idOf(ctx: Context, username: string): Promise<string> {
  return (await people.query().where("username", "==", username).first(ctx))?.id ?? "";
}
