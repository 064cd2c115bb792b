import type { Manifest } from "../../build/manifest.ts";
import { desired } from "../../deploy/desired/desired.ts";
import { isPublic } from "../../deploy/desired/resource-inputs.ts";
import type { DeployNeeds } from "../../deploy/preflight/problem.ts";
import { compareVersions } from "../../evolution/compare.ts";
import { placeOf } from "../../generate/graph/declarations.ts";
import type { App } from "../../model/app.ts";
import { allOfKind, keepsData, settingsOf } from "../../model/declarations.ts";

/** Collects the facts that determine whether an application can be deployed. `manifest` is from before the build. */
export function needsOf(app: App, manifest: Manifest): DeployNeeds {
  const { packages, indexes = [] } = app;
  const secrets = allOfKind(packages, "secret").map(({ name, declaration }) => ({ name, at: placeOf(declaration) }));
  const webhooks = allOfKind(packages, "channel").flatMap(({ to, declaration }) =>
    "webhook" in to ? [{ name: to.webhook, at: placeOf(declaration) }] : [],
  );
  return {
    secrets: [...new Map([...webhooks, ...secrets].map((secret) => [secret.name, secret])).values()],
    social: allOfKind(packages, "auth").some(({ social }) => social),
    indexes: indexes.map(({ entity, fields }) => ({
      entity,
      fields: fields.map(({ field, direction }) => `${field} ${direction}`).join(", "),
    })),
    keepsDocuments: keepsData(app),
    changesSince: (schema) => compareVersions(schema, app),
    entities: allOfKind(packages, "entity").map((entity) => ({
      name: entity.name,
      indexed: entity.indexed.map((field) => field.name),
      at: placeOf(entity.declaration),
    })),
    domains: packages.flatMap((pkg) => {
      const settings = settingsOf(pkg);
      const mapped = manifest.services.find(({ name, domain }) => name === pkg.service && domain !== "");
      return settings && mapped
        ? [{ domain: mapped.domain, service: mapped.name, at: placeOf(settings.declaration) }]
        : [];
    }),
    isPublic: manifest.services.some(isPublic) || allOfKind(packages, "site").length > 0,
    resources: (place) => {
      try {
        return desired({ manifest, place, images: {} });
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
}
