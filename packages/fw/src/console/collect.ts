import { eventsPath, type CollectedNumbers, type ServiceNews } from "./service-events.ts";
import type { EventHub } from "./event-hub.ts";

/** A process of a service whose events the console collects. */
interface ServiceProcess {
  readonly service: string;
  /** Differs for each process of the service. */
  readonly process: string;
}

/** Posts to a path of a service below `/_fw/`. */
type Post = (
  service: string,
  path: string,
  body: string,
) => Promise<{ readonly status: number; readonly text: string }>;

/**
 * Adds what services have recorded since the last collection to a hub: their events, ordered by time, and the headers
 * and bodies of their requests.
 */
export function eventCollector(hub: EventHub, post: Post): (running: readonly ServiceProcess[]) => Promise<void> {
  const numbers = new Map<string, CollectedNumbers>();
  const fetchNews = async ({ service, process }: ServiceProcess): Promise<readonly ServiceNews[]> => {
    const after: CollectedNumbers = numbers.get(process) ?? { event: 0, exchange: 0 };
    const { status, text } = await post(service, eventsPath, JSON.stringify(after));
    if (status !== 200) return [];
    const news = JSON.parse(text) as ServiceNews;
    numbers.set(process, { event: news.last, exchange: news.lastExchange });
    hub.addLoad(service, news.load);
    return [news];
  };
  return async (running) => {
    const results = await Promise.allSettled(running.map(fetchNews));
    const answers = results.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    hub.setRemoteRequests(answers.flatMap((answer) => answer.running));
    const events = answers.flatMap((answer) => answer.events);
    for (const event of events.toSorted((a, b) => a.at - b.at)) hub.add(event);
    for (const exchange of answers.flatMap(({ exchanges }) => exchanges)) hub.addRemoteExchange(exchange);
  };
}
