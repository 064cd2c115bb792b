import { listOf, suggestion } from "../../lib/suggest.ts";
import { visible } from "../../lib/visible.ts";
import { servicesOf } from "../../model/services.ts";
import { Refusal } from "../command.ts";
import { analyze } from "../sound.ts";

/** The services of an application, whatever is wrong with it otherwise. */
export interface ServiceNames {
  /** The service of a name, with or without the application's name and an environment before it. Refuses any other. */
  readonly find: (given: string) => string;
  /** A sentence that lists them. */
  readonly known: string;
}

export async function serviceNames(root: string): Promise<ServiceNames> {
  const { app } = await analyze(root);
  const names = servicesOf(app).map(({ name }) => name);
  const known = names.length === 0 ? "the application has no service" : `the services are ${listOf(names, "and")}`;
  return {
    known,
    find(given) {
      const found = names.find((name) => given === name || isDeployed(given, app.name, name));
      if (found !== undefined) return found;
      throw new Refusal(`there is no service "${visible(given)}": ${known}${suggestion(given, names)}`);
    },
  };
}

/** `<app>-<env>-<service>`, or without the environment. */
function isDeployed(given: string, app: string, service: string): boolean {
  if (!given.startsWith(`${app}-`) || !given.endsWith(`-${service}`)) return false;
  return /^(?:[a-z0-9]+-)?$/.test(given.slice(app.length + 1, -service.length));
}
