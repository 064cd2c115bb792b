import { isObject } from "./record-in.ts";

/** Members of a log line that fw sets. The application's own fields are all in the member `fields`. */
export const ownMembers: ReadonlySet<string> = new Set([
  ..."severity time message req trace route cron job task singleton handler source service".split(" "),
  "logging.googleapis.com/trace",
]);

/** The prefix for an application's field with the name of a member. */
const prefix = "fields.";

/**
 * Merges a line's members and fields into one record for display. A field with one of fw's names is shown as
 * `fields.<name>`, so that no field can fake the service, request or handler of the line.
 */
export function flattenMembers(
  members: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const named = Object.entries(fields).map(([name, value]) => [shownName(name, members), value] as const);
  return { ...Object.fromEntries(named), ...members };
}

/**
 * Returns the name under which a field is shown: prefixed once more if the name, without any prefixes, is taken. This
 * keeps the names of fields distinct.
 */
function shownName(name: string, members: Readonly<Record<string, unknown>>): string {
  let bare = name;
  while (bare.startsWith(prefix)) bare = bare.slice(prefix.length);
  return ownMembers.has(bare) || Object.hasOwn(members, bare) ? prefix + name : name;
}

/** Returns everything in a line, except its severity, time, message and service, for display. */
export function flattenLine(line: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { severity: _severity, time: _time, message: _message, service: _service, fields, ...members } = line;
  if (!isObject(fields)) return fields === undefined ? members : { ...members, fields };
  return flattenMembers(members, fields);
}
