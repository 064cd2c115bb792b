import { eventsPath } from "./service-events.ts";
import type { EventHub, Events } from "./event-hub.ts";

/** A process of a service whose events the console collects. */
interface ServiceProcess {
  readonly service: string;
  /** Changes when the service gets a new process. */
  readonly process: string;
}

/** Posts to a path of a service below `/_fw/`. */
type Post = (
  service: string,
  path: string,
  body: string,
) => Promise<{ readonly status: number; readonly text: string }>;

/** Adds the services' events since the last collection to a hub, in order of time. */
export function eventCollector(hub: EventHub, post: Post): (running: readonly ServiceProcess[]) => Promise<void> {
  const lastNumbers = new Map<string, number>();
  const fetchEvents = async ({ service, process }: ServiceProcess): Promise<Pick<Events, "events" | "running">> => {
    const { status, text } = await post(service, eventsPath, String(lastNumbers.get(process) ?? 0));
    if (status !== 200) return { events: [], running: [] };
    const { last, ...known } = JSON.parse(text) as Events;
    lastNumbers.set(process, last);
    return known;
  };
  return async (running) => {
    const results = await Promise.allSettled(running.map(fetchEvents));
    const answers = results.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    hub.setRemoteRequests(answers.flatMap((answer) => answer.running));
    const events = answers.flatMap((answer) => answer.events);
    for (const event of events.toSorted((a, b) => a.at - b.at)) hub.add(event);
  };
}
