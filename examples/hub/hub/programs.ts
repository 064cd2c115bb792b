import { API, type Path } from "fw";
import { auth } from "./access.ts";

export interface NewProgram {
  name: string;
}

/** Creates a token that lets a program act for the signed-in user. Its secret is shown only once. */
export const connect = API(
  "POST /programs",
  (ctx, { name }: NewProgram) => auth.tokens.create(ctx, ctx.user(), { name, expires: "90d" }),
  { signIn: true, status: 201 },
);

export const programs = API("GET /programs", (ctx) => auth.tokens.list(ctx, ctx.user()), { signIn: true });

export interface ProgramRef {
  id: Path;
}
export const disconnect = API(
  "DELETE /programs/{id}",
  (ctx, { id }: ProgramRef) => auth.tokens.revoke(ctx, ctx.user(), id),
  { signIn: true },
);
