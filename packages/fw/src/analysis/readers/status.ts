import type { StatusPage } from "../../model/app.ts";
import type { Kind } from "./kind.ts";

/** `StatusPage(handler)`, of which only the place matters. */
export const status: Kind<StatusPage, StatusPage> = {
  read: (_source, _call, declaration) => ({ kind: "status", declaration }),
  model: (page) => page,
};
