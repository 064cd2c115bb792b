import { Entity, ErrorShape, NotFound, Service, type Context, type ID, type Index, type Int, type Unique } from "fw";
import { errorsOf } from "../shared/invalid.ts";

/** Any origin may call the service, because a token, not a cookie, authenticates requests. */
export const api = Service({ origins: "*" });

export const errors = ErrorShape(errorsOf);

export interface Article {
  id: ID;
  slug: Unique<string>;
  /** The author's user id. */
  author: Index<string>;
  title: string;
  description: string;
  body: string;
  tags: Index<string[]>;
  /** The number of users who have marked it as a favourite. */
  favourites: Int;
  created: Index<Date>;
  updated: Date;
}
export const articles = Entity<Article>("articles");

/** A favourite. Its id combines the ids of the user and the article. */
export interface Favourite {
  id: ID;
  article: string;
  person: Index<string>;
  since: Index<Date>;
}
export const favourites = Entity<Favourite>("favourites");

export function favouriteId(person: string, article: string): string {
  return `${person}:${article}`;
}

export async function bySlug(ctx: Context, slug: string): Promise<Article> {
  const article = await articles.query().where("slug", "==", slug).first(ctx);
  if (article === undefined) throw NotFound();
  return article;
}
