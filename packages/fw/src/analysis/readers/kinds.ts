import type { Declaration } from "../../model/app.ts";
import type { OfKind } from "../../model/declarations.ts";
import type { DeclarationKind } from "../../model/kinds.ts";
import { alert } from "./alert.ts";
import { auth } from "./auth.ts";
import { authenticator } from "./authenticator.ts";
import { channel } from "./channel.ts";
import { subscribe, worker } from "./consumer.ts";
import { cron } from "./cron.ts";
import { destination } from "./destination.ts";
import { endpoint, mount, socket } from "./endpoint.ts";
import { entity } from "./entity.ts";
import type { Kind } from "./kind.ts";
import { named } from "./named.ts";
import type { Misplaced, Parsed, ParsedKinds } from "./parsed.ts";
import { policy } from "./policy.ts";
import { runner } from "./runner.ts";
import { service } from "./service.ts";
import { singleton } from "./singleton.ts";
import { site } from "./site.ts";
import { status } from "./status.ts";

/** How each kind of declaration is read. */
export const readers: { readonly [Name in DeclarationKind]: Kind<ParsedKinds[Name], OfKind<Name>> } = {
  api: endpoint("api"),
  page: endpoint("page"),
  mount,
  socket,
  site,
  service,
  status,
  entity,
  auth,
  authenticator,
  role: named("role"),
  policy,
  secret: named("secret"),
  bucket: named("bucket"),
  queue: destination("queue"),
  topic: destination("topic"),
  job: destination("job"),
  worker,
  subscribe,
  runner,
  cron,
  singleton,
  counter: named("counter"),
  histogram: named("histogram"),
  channel,
  alert,
};

/** What a declaration is in the model. */
export function modelOf(parsed: Exclude<Parsed, Misplaced>, service: string): Declaration | undefined {
  const { model } = readers[parsed.kind] as Kind<typeof parsed, Declaration>;
  return model(parsed, service);
}
