import { newTestApp, type TestApp } from "fw/testing";
import { expect, test } from "vitest";

/** Sends one user's requests, as a client program would. */
interface Caller {
  (method: string, path: string, body?: object): Promise<{ status: number; body: Answer }>;
}

/** The fields of responses that these tests check. */
interface Answer {
  article: Article;
  articles: Article[];
  articlesCount: number;
  comment: { id: number; author: { username: string } };
  comments: { body: string }[];
  tags: string[];
  errors: Record<string, string[]>;
}

interface Article {
  slug: string;
  title: string;
  body?: string;
  tagList: string[];
  favorited: boolean;
  favoritesCount: number;
  author: { username: string; following: boolean };
}

async function open(): Promise<TestApp> {
  const app = await newTestApp();
  app.setSecret("JWT_SECRET", "only tests sign with this");
  return app;
}

function caller(app: TestApp, authorization?: string): Caller {
  return async (method, path, body) => {
    const headers = {
      ...(authorization !== undefined && { authorization }),
      ...(body && { "content-type": "application/json" }),
    };
    const answer = await app.fetch(`/api${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    return { status: answer.status, body: (text === "" ? undefined : JSON.parse(text)) as Answer };
  };
}

async function join(app: TestApp, username: string): Promise<Caller> {
  const user = { username, email: `${username}@example.com`, password: "correct horse" };
  const { body } = await caller(app)("POST", "/users", { user });
  return caller(app, `Token ${(body as unknown as { user: { token: string } }).user.token}`);
}

async function publish(app: TestApp, who: Caller, title: string, ...tagList: string[]): Promise<Article> {
  // Articles created at the same time have no defined order.
  await app.clock.advance("1s");
  const { status, body } = await who("POST", "/articles", { article: { title, description: "d", body: "b", tagList } });
  expect(status).toBe(201);
  return body.article;
}

const titles = ({ body }: { body: Answer }): string[] => body.articles.map(({ title }) => title);

test("an article is published under the words of its title, and read by anybody", async () => {
  await using app = await open();
  const ann = await join(app, "ann");
  const article = await publish(app, ann, "How to train: your Dragon!", "dragons", "training", "dragons");
  expect(article).toMatchObject({
    slug: "how-to-train-your-dragon",
    tagList: ["dragons", "training"],
    favorited: false,
    author: { username: "ann", following: false },
  });
  const again = await publish(app, ann, "How to train your dragon");
  expect(again.slug).toMatch(/^how-to-train-your-dragon-[0-9a-f]{8}$/);
  const { body } = await caller(app)("GET", `/articles/${article.slug}`);
  expect(body.article).toEqual({ ...article, body: "b" });
});

test("only its author changes or deletes an article, and a new title is a new address", async () => {
  await using app = await open();
  const [ann, bob] = [await join(app, "ann"), await join(app, "bob")];
  const { slug } = await publish(app, ann, "First", "old");
  expect((await bob("PUT", `/articles/${slug}`, { article: { body: "mine" } })).status).toBe(403);
  expect((await bob("DELETE", `/articles/${slug}`)).status).toBe(403);
  expect((await caller(app)("DELETE", `/articles/${slug}`)).status).toBe(401);
  const { body } = await ann("PUT", `/articles/${slug}`, { article: { title: "Second", tagList: ["new"] } });
  expect(body.article).toMatchObject({ slug: "second", title: "Second", tagList: ["new"] });
  expect((await ann("GET", "/tags")).body.tags).toEqual(["new"]);
  expect((await ann("GET", `/articles/${slug}`)).status).toBe(404);
  expect((await ann("DELETE", "/articles/second")).status).toBe(204);
  expect((await ann("GET", "/tags")).body.tags).toEqual([]);
});

test("fields that are blank are named in the answer, and nothing is published", async () => {
  await using app = await open();
  const ann = await join(app, "ann");
  const { status, body } = await ann("POST", "/articles", { article: { title: "x", body: " " } });
  expect([status, body]).toEqual([422, { errors: { description: ["can't be blank"], body: ["can't be blank"] } }]);
  expect((await ann("GET", "/articles")).body).toEqual({ articles: [], articlesCount: 0 });
});

test("articles are listed newest first, by tag, author and favourite, in parts", async () => {
  await using app = await open();
  const [ann, bob] = [await join(app, "ann"), await join(app, "bob")];
  const kept: Article[] = [];
  for (const [who, title, tag] of [
    [ann, "one", "x"],
    [ann, "two", "y"],
    [bob, "three", "x"],
  ] as const) {
    kept.push(await publish(app, who, title, tag));
  }
  const list = (query: string): ReturnType<Caller> => caller(app)("GET", `/articles${query}`);
  expect(titles(await list(""))).toEqual(["three", "two", "one"]);
  expect(titles(await list("?tag=x"))).toEqual(["three", "one"]);
  expect(titles(await list("?author=ann"))).toEqual(["two", "one"]);
  expect(titles(await list("?author=nobody"))).toEqual([]);
  expect(titles(await list("?author=ann&tag=x"))).toEqual(["one"]);
  const part = await list("?limit=1&offset=1");
  expect([titles(part), part.body.articlesCount]).toEqual([["two"], 3]);
  expect((await list("?limit=1000")).status).toBe(400);
  expect(part.body.articles[0]).not.toHaveProperty("body");
  await bob("POST", `/articles/${kept[0]?.slug}/favorite`);
  expect(titles(await list("?favorited=bob"))).toEqual(["one"]);
  expect(titles(await list("?favorited=bob&author=bob"))).toEqual([]);
});

test("a favourite counts once for each person, however often it is marked", async () => {
  await using app = await open();
  const [ann, bob] = [await join(app, "ann"), await join(app, "bob")];
  const { slug } = await publish(app, ann, "Liked");
  await Promise.all([1, 2, 3].map(() => bob("POST", `/articles/${slug}/favorite`)));
  expect((await bob("GET", `/articles/${slug}`)).body.article).toMatchObject({ favorited: true, favoritesCount: 1 });
  expect((await ann("GET", `/articles/${slug}`)).body.article).toMatchObject({ favorited: false, favoritesCount: 1 });
  const { body } = await bob("DELETE", `/articles/${slug}/favorite`);
  expect(body.article).toMatchObject({ favorited: false, favoritesCount: 0 });
});

test("the feed has what those wrote whom one follows, newest first, and is nobody else's", async () => {
  await using app = await open();
  const [ann, bob, cy] = [await join(app, "ann"), await join(app, "bob"), await join(app, "cy")];
  expect((await caller(app)("GET", "/articles/feed")).status).toBe(401);
  for (const [who, title] of [
    [bob, "one"],
    [cy, "two"],
    [ann, "three"],
  ] as const) {
    await publish(app, who, title);
  }
  expect((await ann("GET", "/articles/feed")).body).toEqual({ articles: [], articlesCount: 0 });
  for (const name of ["bob", "cy"]) await ann("POST", `/profiles/${name}/follow`);
  const feed = await ann("GET", "/articles/feed");
  expect([titles(feed), feed.body.articlesCount]).toEqual([["two", "one"], 2]);
  expect(feed.body.articles[0]?.author).toMatchObject({ username: "cy", following: true });
});

test("comments are anybody's to read, and their author's to delete", async () => {
  await using app = await open();
  const [ann, bob] = [await join(app, "ann"), await join(app, "bob")];
  const { slug } = await publish(app, ann, "Talked about");
  const path = `/articles/${slug}/comments`;
  expect((await bob("POST", path, { comment: {} })).body.errors).toEqual({ body: ["can't be blank"] });
  const { body } = await bob("POST", path, { comment: { body: "Thank you so much!" } });
  expect(body.comment).toMatchObject({ id: expect.any(Number), author: { username: "bob" } });
  expect((await caller(app)("GET", path)).body.comments).toHaveLength(1);
  expect((await ann("DELETE", `${path}/${body.comment.id}`)).status).toBe(403);
  expect((await bob("DELETE", `/articles/other/comments/${body.comment.id}`)).status).toBe(404);
  expect((await bob("DELETE", `${path}/${body.comment.id}`)).status).toBe(204);
  expect((await ann("GET", path)).body.comments).toEqual([]);
});
