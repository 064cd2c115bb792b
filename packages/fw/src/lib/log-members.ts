/**
 * Members that fw writes into a log line to identify its source. An application's own fields are one member, `fields`.
 */
const ownMembers: ReadonlySet<string> = new Set([
  ..."severity time message req trace route cron job task singleton handler source service".split(" "),
  "logging.googleapis.com/trace",
]);

/** Before the name of an application's field that is also the name of a member. */
const prefix = "fields.";

/**
 * The members and fields of a line in one record, for people: a field whose name fw uses for itself is shown as
 * `fields.<name>`, so that no field can claim which service, request or handler the line belongs to.
 */
export function flattenMembers(
  members: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const named = Object.entries(fields).map(([name, value]) => [shownName(name, members), value] as const);
  return { ...Object.fromEntries(named), ...members };
}

/** Matches even with the prefix in front, any number of times, so that no two fields end up with the same name. */
function shownName(name: string, members: Readonly<Record<string, unknown>>): string {
  let bare = name;
  while (bare.startsWith(prefix)) bare = bare.slice(prefix.length);
  return ownMembers.has(bare) || Object.hasOwn(members, bare) ? prefix + name : name;
}

/** Everything in a line except its severity, time, message and service, for people. */
export function flattenLine(line: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { severity: _severity, time: _time, message: _message, service: _service, fields, ...members } = line;
  const isRecord = typeof fields === "object" && fields !== null && !Array.isArray(fields);
  if (!isRecord) return fields === undefined ? members : { ...members, fields };
  return flattenMembers(members, fields as Readonly<Record<string, unknown>>);
}
