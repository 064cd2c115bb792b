import type { Context, Int } from "fw";
import { profilesOf, type Profile } from "../people/profiles.ts";
import { favouriteId, favourites, type Article } from "./articles.ts";

/** An article in a list. */
export interface Listed {
  slug: string;
  title: string;
  description: string;
  tagList: string[];
  createdAt: Date;
  updatedAt: Date;
  /** True if it is one of the current user's favourites. */
  favorited: boolean;
  favoritesCount: Int;
  author: Profile;
}

/** A single article with its body. */
export interface Shown {
  article: Listed & { body: string };
}

export async function shown(ctx: Context, article: Article): Promise<Shown> {
  const [listed] = await listedOf(ctx, [article]);
  return { article: { ...listed, body: article.body } };
}

/** Adds the fields that depend on the current user to articles. Reads all authors at once. */
export async function listedOf(ctx: Context, some: readonly Article[]): Promise<Listed[]> {
  const visitor = ctx.maybeUser()?.id;
  const authors = some.map(({ author }) => author);
  const [profile, marks] = await Promise.all([
    profilesOf(ctx, authors),
    visitor === undefined
      ? []
      : favourites.getMany(
          ctx,
          some.map(({ id }) => favouriteId(visitor, id)),
        ),
  ]);
  return some.map(({ slug, title, description, tags, created, updated, favourites, author }, i) => ({
    slug,
    title,
    description,
    tagList: tags,
    createdAt: created,
    updatedAt: updated,
    favorited: marks[i] !== undefined,
    favoritesCount: favourites,
    author: profile(author),
  }));
}
