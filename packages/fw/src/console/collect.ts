import { answeredPath } from "./answered.ts";
import type { EventHub, Events } from "./event-hub.ts";

/** A process of a service, as far as it is asked what it has answered. */
interface Asked {
  readonly service: string;
  /** Another one for each process that the service has. */
  readonly process: string;
}

/** Answers a post to a path of a service below `/_fw/`. */
type Post = (
  service: string,
  path: string,
  body: string,
) => Promise<{ readonly status: number; readonly text: string }>;

/** Fills a hub with what services have answered since they were asked last, in the order in which it began. */
export function answeredCollector(hub: EventHub, post: Post): (running: readonly Asked[]) => Promise<void> {
  const seen = new Map<string, number>();
  const ask = async ({ service, process }: Asked): Promise<Pick<Events, "events" | "running">> => {
    const { status, text } = await post(service, answeredPath, String(seen.get(process) ?? 0));
    if (status !== 200) return { events: [], running: [] };
    const { last, ...known } = JSON.parse(text) as Events;
    seen.set(process, last);
    return known;
  };
  return async (running) => {
    const asked = await Promise.allSettled(running.map(ask));
    const answers = asked.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    hub.runsElsewhere(answers.flatMap((answer) => answer.running));
    const events = answers.flatMap((answer) => answer.events);
    for (const event of events.toSorted((a, b) => a.at - b.at)) hub.add(event);
  };
}
