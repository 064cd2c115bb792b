import type { Needs } from "../../deploy/preflight/problem.ts";
import type { App } from "../../model/app.ts";
import { allOfKind, keepsData, settingsOf } from "../../model/declarations.ts";
import type { DeclarationRef } from "../../model/declaration-ref.ts";
import { servicesOf } from "../../model/services.ts";

/** What of an application decides whether it can be deployed. */
export function needsOf(app: App): Needs {
  const { packages, indexes = [] } = app;
  const services = servicesOf(app);
  const secrets = allOfKind(packages, "secret").map(({ name, declaration }) => ({ name, at: placeOf(declaration) }));
  const webhooks = allOfKind(packages, "channel").flatMap(({ to, declaration }) =>
    "webhook" in to ? [{ name: to.webhook, at: placeOf(declaration) }] : [],
  );
  return {
    secrets: [...new Map([...webhooks, ...secrets].map((each) => [each.name, each])).values()],
    social: allOfKind(packages, "auth").some(({ social }) => social),
    indexes: indexes.map(({ entity, fields }) => ({
      entity,
      fields: fields.map(({ field, direction }) => `${field} ${direction}`).join(", "),
    })),
    keepsDocuments: keepsData(app),
    domains: packages.flatMap((pkg) => {
      const settings = settingsOf(pkg);
      return settings?.domain
        ? [{ domain: settings.domain, service: pkg.service, at: placeOf(settings.declaration) }]
        : [];
    }),
    // Of each its own, and that of whoever brings it messages.
    accounts: services.length * 2,
  };
}

function placeOf({ module, at }: DeclarationRef): string {
  return `${module}:${at.line}`;
}
