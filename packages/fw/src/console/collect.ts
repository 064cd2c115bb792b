import { SerialQueue } from "../lib/serial-queue.ts";
import { eventsPath, type CollectedNumbers, type ServiceNews } from "./collected.ts";
import type { EventHub } from "./event-hub.ts";

/** The maximum number of traces per call: their ids must fit into the body of a JSON request. */
const tracesOfCall = 10_000;

/** A process of a service whose events the console collects. */
export interface CollectedProcess {
  /** The name under which its load appears. */
  readonly name: string;
  /** The id of this process, unique within the service. */
  readonly id: string;
  /** Posts to a path of the process below `/_fw/`. */
  readonly post: (path: string, body: string) => Promise<{ readonly status: number; readonly text: string }>;
}

/**
 * Returns a function that adds the new records of services to a hub: events in order of time, and headers and bodies of
 * requests. If services sample traces, also collects their parts of traces that another service has kept.
 */
export function eventCollector(
  hub: EventHub,
  isSampled: boolean,
): (running: readonly CollectedProcess[]) => Promise<void> {
  const numbers = new Map<string, CollectedNumbers>();
  const fetchNews = async (
    { name, id, post }: CollectedProcess,
    traces: readonly string[] = [],
  ): Promise<readonly ServiceNews[]> => {
    const after: CollectedNumbers = numbers.get(id) ?? { event: 0, exchange: 0 };
    const { status, text } = await post(eventsPath, JSON.stringify({ ...after, traces }));
    if (status !== 200) return [];
    const news = JSON.parse(text) as ServiceNews;
    numbers.set(id, { event: news.last, exchange: news.lastExchange });
    hub.addLoad(name, news.load);
    hub.addTotals(news.totals);
    return [news];
  };
  const collect = async (running: readonly CollectedProcess[]): Promise<void> => {
    const first = await successes(running.map((each) => fetchNews(each)));
    hub.setRemoteRequests(first.flatMap((answer) => answer.running));
    const traces = isSampled && running.length > 1 ? tracesIn(first) : [];
    const answers = [...first];
    for (let from = 0; from < traces.length; from += tracesOfCall) {
      const some = traces.slice(from, from + tracesOfCall);
      answers.push(...(await successes(running.map((each) => fetchNews(each, some)))));
    }
    const events = answers.flatMap((answer) => answer.events);
    for (const event of events.toSorted((a, b) => a.at - b.at)) hub.add(event);
    for (const exchange of answers.flatMap(({ exchanges }) => exchanges)) hub.addRemoteExchange(exchange);
  };
  // Two concurrent collections would fetch the same events and add them twice.
  const queue = new SerialQueue();
  return (running) => queue.run(() => collect(running));
}

async function successes<Value>(work: readonly Promise<readonly Value[]>[]): Promise<readonly Value[]> {
  const results = await Promise.allSettled(work);
  return results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
}

function tracesIn(news: readonly ServiceNews[]): readonly string[] {
  const events = news.flatMap((each) => each.events);
  return [...new Set(events.flatMap((event) => (event.kind === "log" ? [] : [event.trace])))];
}
