import { randomInt } from "node:crypto";
import { API, Entity, Errorf, NotFound, type ID, type Index, type Int, type Path } from "fw";
import { profileOf, profilesOf, type Profile } from "../people/profiles.ts";
import { blank, invalid } from "../shared/invalid.ts";
import { bySlug } from "./articles.ts";
import type { ArticleRef } from "./writing.ts";

export interface Comment {
  /** An integer, because the contract requires one. */
  id: ID;
  /** An article's id. */
  article: Index<string>;
  /** The author's user id. */
  author: string;
  body: string;
  created: Index<Date>;
}
export const comments = Entity<Comment>("comments");

export interface ShownComment {
  id: Int;
  body: string;
  createdAt: Date;
  updatedAt: Date;
  author: Profile;
}

export const listComments = API("GET /api/articles/{slug}/comments", async (ctx, { slug }: ArticleRef) => {
  const { id } = await bySlug(ctx, slug);
  const found = await comments.query().where("article", "==", id).orderBy("created", "desc").limit(500).all(ctx);
  const authors = found.map(({ author }) => author);
  const profile = await profilesOf(ctx, authors);
  return { comments: found.map((comment) => shownComment(comment, profile(comment.author))) };
});

export interface AddComment extends ArticleRef {
  comment: { body?: string };
}
export const addComment = API(
  "POST /api/articles/{slug}/comments",
  async (ctx, { slug, comment: { body = "" } }: AddComment) => {
    const author = ctx.user().id;
    const article = await bySlug(ctx, slug);
    const missing = blank({ body });
    if (missing) return invalid(missing);
    const comment = { id: newNumber(), article: article.id, author, body, created: ctx.now() };
    return { comment: shownComment(await comments.create(ctx, comment), await profileOf(ctx, author)) };
  },
  { signIn: true },
);

export interface CommentRef extends ArticleRef {
  id: Path<Int>;
}
export const removeComment = API(
  "DELETE /api/articles/{slug}/comments/{id}",
  async (ctx, { slug, id }: CommentRef): Promise<void> => {
    const [article, comment] = [await bySlug(ctx, slug), await comments.get(ctx, String(id))];
    if (comment.article !== article.id) throw NotFound();
    if (comment.author !== ctx.user().id) throw Errorf(403, "this comment is somebody else's");
    await comments.delete(ctx, comment.id);
  },
  { signIn: true },
);

function shownComment({ id, body, created }: Comment, author: Profile): ShownComment {
  return { id: Number(id), body, createdAt: created, updatedAt: created, author };
}

/** Returns the time followed by a random number. A sequence would be a single document that all writers contend for. */
function newNumber(): string {
  return String(Date.now() * 1000 + randomInt(1000));
}
