import { param, query, type Api, type Call, type Needed } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { Refusal } from "../errors.ts";
import { masked } from "../fields.ts";
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
  const on =
    (permission: string, name = "name") =>
    (call: Call): Needed[] => [{ permission, resource: `//${host}/${param(call, name)}` }];
  const found = (call: Call): Readonly<Record<string, unknown>> => {
    const repository = repositories.get(param(call, "name"));
    if (!repository) throw new Refusal("NOT_FOUND", "Requested entity was not found.");
    return repository;
  };
  const own = "artifactregistry.projects.locations";
  return {
    host,
    methods: {
      [`${own}.repositories.create`]: {
        needs: on("artifactregistry.repositories.create", "parent"),
        run: (call) => {
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
      },
      [`${own}.repositories.get`]: { needs: on("artifactregistry.repositories.get"), run: found },
      [`${own}.repositories.list`]: {
        needs: on("artifactregistry.repositories.list", "parent"),
        run: (call) => inPages(call, "repositories", [...repositories.values()]),
      },
      [`${own}.repositories.patch`]: {
        needs: on("artifactregistry.repositories.update"),
        run: (call) => {
          const changed = { ...found(call), ...masked(call.body as object, query(call, "updateMask") ?? "") };
          repositories.set(param(call, "name"), changed);
          return changed;
        },
      },
      [`${own}.repositories.delete`]: {
        needs: on("artifactregistry.repositories.delete"),
        run: (call) => {
          found(call);
          const name = param(call, "name");
          const remove = async (): Promise<unknown> => {
            await cloud.clock.sleep(makingMs);
            repositories.delete(name);
            names.delete(name);
            making.delete(name);
            return {};
          };
          return operations.start(name.split("/repositories/")[0] ?? "", () => ({}), remove());
        },
      },
      [`${own}.operations.get`]: { needs: () => [], run: (call) => operations.get(param(call, "name")) },
    },
  };
}
