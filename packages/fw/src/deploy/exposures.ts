import { itemsOf, listOf, textOf, type Fields } from "./fields.ts";
import { keyOf, type Resource } from "./resource.ts";

/**
 * A role that all users have on a resource of the application. fw never grants one: public services check their callers
 * themselves.
 */
export interface Exposure {
  /** For example `bucket photos`. */
  readonly what: string;
  readonly member: string;
  readonly role: string;
  /** The command that revokes the role. */
  readonly remove: string;
}

const everyone: ReadonlySet<string> = new Set(["allUsers", "allAuthenticatedUsers"]);

/** Finds grants to all users in the live policies. Skips public services, which everyone may call anyway. */
export function exposuresOf(
  desired: readonly Resource[],
  lives: ReadonlyMap<string, Fields | undefined>,
): readonly Exposure[] {
  const open = new Set(desired.filter(({ spec }) => spec["invokerIamDisabled"] === true).map(({ id }) => id));
  return desired
    .filter(({ kind, id }) => kind === "grants" && !open.has(id.replace(/^\/\/[^/]+\//, "")))
    .flatMap((resource) => exposuresIn(resource, lives.get(keyOf(resource)) ?? {}));
}

function exposuresIn({ id, title }: Resource, { bindings }: Fields): readonly Exposure[] {
  return itemsOf(bindings).flatMap(({ role, members, condition }) =>
    listOf(members)
      .map(textOf)
      .filter((member) => everyone.has(member))
      .map((member) => ({
        what: title.replace(/^grants on /, ""),
        member,
        role: textOf(role),
        remove: `${removalOf(id)} --member ${member} --role ${textOf(role)}${condition === undefined ? "" : " --all"}`,
      })),
  );
}

/**
 * Returns the gcloud command that removes a grant from a resource's policy, without its flags for member and role. `id`
 * is, for example, `//pubsub.googleapis.com/projects/p/topics/t`.
 */
function removalOf(id: string): string {
  const [, host = "", path = ""] = /^\/\/(\w+)\.googleapis\.com\/(.+)$/.exec(id) ?? [];
  const parts = path.split("/");
  const [name = "", project = "", location = ""] = [parts.at(-1), parts[1], parts[3]];
  const verb = "remove-iam-policy-binding";
  const at = `--project ${project}`;
  const commands: Readonly<Record<string, string>> = {
    cloudresourcemanager: `projects ${verb} ${name}`,
    cloudtasks: `tasks queues ${verb} ${name} --location ${location} ${at}`,
    iam: `iam service-accounts ${verb} ${name} ${at}`,
    pubsub: `pubsub ${parts[2]} ${verb} ${name} ${at}`,
    run: `run ${parts[4]} ${verb} ${name} --region ${location} ${at}`,
    secretmanager: `secrets ${verb} ${name} ${at}`,
    storage: `storage buckets ${verb} gs://${name}`,
  };
  return `gcloud ${commands[host] ?? `# ${verb} of ${id}`}`;
}
