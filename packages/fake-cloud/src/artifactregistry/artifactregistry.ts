import { param, query, type Api, type Call } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { Refusal } from "../errors.ts";
import { changeOf } from "../fields.ts";
import { methodsOf, namedIn, nameOf, type ResourceKind } from "../methods.ts";
import { Operations } from "../operations.ts";
import { inPages } from "../pages.ts";

const host = "artifactregistry.googleapis.com";

/** Milliseconds until a repository that is made is there. */
const makingMs = 200;

/** Artifact Registry: where images are kept. `names` is told which repositories there are. */
export function artifactRegistry(cloud: Cloud, names: Set<string>): Api {
  const repositories = new Map<string, Readonly<Record<string, unknown>>>();
  const making = new Set<string>();
  const operations = new Operations(cloud);
  const kind: ResourceKind = {
    methods: "artifactregistry.projects.locations.repositories",
    permissions: "artifactregistry.repositories",
    on: namedIn(host),
  };
  const found = (call: Call): Readonly<Record<string, unknown>> => {
    const repository = repositories.get(nameOf(call));
    if (!repository) throw new Refusal("NOT_FOUND", "Requested entity was not found.");
    return repository;
  };
  return {
    host,
    methods: {
      ...methodsOf(kind, {
        create: (call) => {
          const parent = param(call, "parent");
          const name = `${parent}/repositories/${query(call, "repositoryId") ?? ""}`;
          if (repositories.has(name) || making.has(name))
            throw new Refusal("ALREADY_EXISTS", "the repository already exists");
          making.add(name);
          const make = async (): Promise<unknown> => {
            await cloud.clock.sleep(makingMs);
            const made = { mode: "STANDARD_REPOSITORY", ...(call.body as object), name };
            repositories.set(name, made);
            names.add(name);
            return made;
          };
          return operations.start(parent, () => ({}), make());
        },
        get: found,
        list: (call) => inPages(call, { repositories: [...repositories.values()] }),
        patch: (call) => {
          const changed = { ...found(call), ...changeOf(call) };
          repositories.set(nameOf(call), changed);
          return changed;
        },
        delete: (call) => {
          found(call);
          const name = nameOf(call);
          const remove = async (): Promise<unknown> => {
            await cloud.clock.sleep(makingMs);
            repositories.delete(name);
            names.delete(name);
            making.delete(name);
            return {};
          };
          return operations.start(name.split("/repositories/")[0] ?? "", () => ({}), remove());
        },
      }),
      "artifactregistry.projects.locations.operations.get": operations.getMethod,
    },
  };
}
