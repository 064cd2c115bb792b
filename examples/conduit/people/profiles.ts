import { API, NotFound, type Context, type Path } from "fw";
import { followId, follows, people, type Person } from "./people.ts";

/** A user's profile, as other users see it. */
export interface Profile {
  username: string;
  bio: string | null;
  image: string | null;
  /** True if the current user follows this user. */
  following: boolean;
}

export interface ProfileRef {
  username: Path;
}
export const getProfile = API("GET /api/profiles/{username}", async (ctx, { username }: ProfileRef) => {
  const { id } = await byName(ctx, username);
  return { profile: await profileOf(ctx, id) };
});

export const follow = API(
  "POST /api/profiles/{username}/follow",
  async (ctx, { username }: ProfileRef) => {
    const [follower, { id }] = [ctx.user().id, await byName(ctx, username)];
    await follows.put(ctx, { id: followId(follower, id), follower, followed: id });
    return { profile: await profileOf(ctx, id) };
  },
  { signIn: true },
);

export const unfollow = API(
  "DELETE /api/profiles/{username}/follow",
  async (ctx, { username }: ProfileRef) => {
    const { id } = await byName(ctx, username);
    await follows.delete(ctx, followId(ctx.user().id, id));
    return { profile: await profileOf(ctx, id) };
  },
  { signIn: true },
);

export async function byName(ctx: Context, username: string): Promise<Person> {
  const person = await people.query().where("username", "==", username).first(ctx);
  if (person === undefined) throw NotFound();
  return person;
}

export async function profileOf(ctx: Context, id: string): Promise<Profile> {
  return (await profilesOf(ctx, [id]))(id);
}

/** Reads the profiles of several users at once. Returns a function that finds a user's profile by id. */
export async function profilesOf(ctx: Context, ids: readonly string[]): Promise<(id: string) => Profile> {
  const visitor = ctx.maybeUser()?.id;
  const each = [...new Set(ids)];
  const [known, followed] = await Promise.all([
    people.getMany(ctx, each),
    visitor === undefined
      ? []
      : follows.getMany(
          ctx,
          each.map((id) => followId(visitor, id)),
        ),
  ]);
  return (id) => {
    const at = each.indexOf(id);
    const { username = "", bio = null, image = null } = known[at] ?? {};
    return { username, bio, image, following: followed[at] !== undefined };
  };
}
