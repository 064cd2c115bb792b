import { StatusError } from "../../declare/errors.ts";
import { messages } from "../messages.ts";

/** Throws the 400 of an empty parameter: a path cannot say it, and another route or none would be asked instead. */
export function requireParams(route: string, path: string): void {
  const [target = ""] = path.split("?", 1);
  const pattern = route.split("/");
  const empty = target.split("/").findIndex((segment, index) => segment === "" && pattern[index]?.startsWith("{"));
  if (empty !== -1) throw new StatusError(400, messages.required(`path ${pattern[empty]?.slice(1, -1)}`));
}
