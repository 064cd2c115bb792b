import { API, Errorf, ErrorShape, Service } from "fw";
import { blank, errorsOf, invalid, unlessTaken } from "../shared/invalid.ts";
import { keep, matches } from "./password.ts";
import { people, type Person } from "./people.ts";
import { tokenFor } from "./token.ts";

/** Any origin may call the service, because a token, not a cookie, authenticates requests. */
export const api = Service({ origins: "*" });

export const errors = ErrorShape(errorsOf);

/** A user's own account, as the API returns it. */
export interface Account {
  user: Pick<Person, "username" | "email" | "bio" | "image"> & { token: string };
}

export interface Register {
  user: { username?: string; email?: string; password?: string };
}
export const register = API(
  "POST /api/users",
  async (ctx, { user: { username = "", email = "", password = "" } }: Register) => {
    const missing = blank({ username, email, password });
    if (missing) return invalid(missing);
    const person = { username, email: email.toLowerCase(), password: await keep(password), bio: null, image: null };
    return unlessTaken(["username", "email"], people.create(ctx, person).then(accountOf));
  },
  { status: 201 },
);

export interface LogIn {
  user: { email?: string; password?: string };
}
export const logIn = API("POST /api/users/login", async (ctx, { user: { email = "", password = "" } }: LogIn) => {
  const missing = blank({ email, password });
  if (missing) return invalid(missing);
  const person = await people.query().where("email", "==", email.toLowerCase()).first(ctx);
  if (!(await matches(password, person?.password)) || !person)
    throw Errorf(401, "that email and password do not match an account");
  return accountOf(person);
});

export const currentUser = API("GET /api/user", async (ctx) => accountOf(await people.get(ctx, ctx.user().id)), {
  signIn: true,
});

export interface ChangeAccount {
  user: { username?: string; email?: string; password?: string; bio?: string | null; image?: string | null };
}
export const changeAccount = API(
  "PUT /api/user",
  async (ctx, { user }: ChangeAccount) => {
    const { username, email, password, ...shown } = user;
    const given = Object.entries({ username, email, password }).filter(([, value]) => value !== undefined);
    const missing = blank(Object.fromEntries(given));
    if (missing) return invalid(missing);
    const changes = {
      ...shown,
      ...(username !== undefined && { username }),
      ...(email !== undefined && { email: email.toLowerCase() }),
      ...(password !== undefined && { password: await keep(password) }),
    };
    const changed = people.update(ctx, ctx.user().id, (person) => ({ ...person, ...changes }));
    return unlessTaken(["username", "email"], changed.then(accountOf));
  },
  { signIn: true },
);

function accountOf({ id, username, email, bio, image }: Person): Account {
  return { user: { username, email, bio, image, token: tokenFor(id) } };
}
