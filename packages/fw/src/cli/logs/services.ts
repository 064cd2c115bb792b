import { listOf, suggestion } from "../../lib/suggest.ts";
import { visible } from "../../lib/visible.ts";
import { servicesOf } from "../../model/services.ts";
import { Refusal } from "../command.ts";
import { analyze } from "../checked-app.ts";

/** The services of an application, which may have other problems. */
export interface ServiceNames {
  /**
   * Finds a service by its name, with or without the application's name and an environment in front. Refuses an unknown
   * name.
   */
  readonly find: (typedName: string) => string;
  /** A sentence that lists the services. */
  readonly sentence: string;
}

export async function serviceNames(root: string): Promise<ServiceNames> {
  const { app } = await analyze(root);
  const names = servicesOf(app).map(({ name }) => name);
  const sentence = names.length === 0 ? "the application has no services" : `the services are ${listOf(names, "and")}`;
  return {
    sentence: sentence,
    find(given) {
      const match = names.find((name) => given === name || isDeployed(given, app.name, name));
      if (match !== undefined) return match;
      throw new Refusal(`there is no service "${visible(given)}": ${sentence}${suggestion(given, names)}`);
    },
  };
}

/** Matches `<app>-<env>-<service>`, or the same without the environment. */
function isDeployed(given: string, app: string, service: string): boolean {
  if (!given.startsWith(`${app}-`) || !given.endsWith(`-${service}`)) return false;
  return /^(?:[a-z0-9]+-)?$/.test(given.slice(app.length + 1, -service.length));
}
