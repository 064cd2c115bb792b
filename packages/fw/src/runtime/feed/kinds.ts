import type { KindDefinition } from "../../platform/contract.ts";

/** The position of the last event of each feed and key: `{ epoch, last }`. */
export const feedKind = "_fw_feeds";

/** The latest events of each feed and key: `{ text }`. */
export const feedEventKind = "_fw_feed_events";

/** The names present in each feed and key, with one document per connection: `{ log, name }`. */
export const feedPresenceKind = "_fw_feed_presence";

export const feedKinds: readonly KindDefinition[] = [
  { kind: feedKind, framework: true, notifies: true, properties: [], composites: [] },
  { kind: feedEventKind, framework: true, properties: [], composites: [] },
  { kind: feedPresenceKind, framework: true, notifies: true, properties: [{ name: "log" }], composites: [] },
];
