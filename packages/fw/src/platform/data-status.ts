import { outdatedProperty, propertyOfUnfit } from "./definitions.ts";
import type { Definitions, Order, Platform } from "./contract.ts";

/** Data that does not match the running code yet. */
export interface DataStatus {
  readonly fills: readonly FillProgress[];
  /** The number of documents that migration rules have yet to rewrite, by kind. */
  readonly outdated: Readonly<Record<string, number>>;
  /** The number of messages that do not fit the types of the running code and wait for other code, by destination. */
  readonly waiting: Readonly<Record<string, number>>;
}

/** An index that is being filled with existing documents. */
interface FillProgress {
  readonly kind: string;
  /** The indexed fields as text, such as `buyer, at desc`. */
  readonly fields: string;
  /** The number of documents that the index contains; `remaining` is the number still to be added. */
  readonly done: number;
  readonly remaining: number;
}

/** The part of a consumer's backlog that the status needs. */
interface WaitingMessages {
  readonly destination: string;
  readonly messages: number;
  readonly misfit?: true;
}

/** A platform that can report its index fills and its message backlog. */
export interface StatusSource extends Pick<Platform, "entities"> {
  readonly fills: NonNullable<Platform["fills"]>;
  readonly dispatcher: { readonly backlog: () => Promise<readonly WaitingMessages[]> };
}

/** Collects index fills, the numbers of outdated documents, and messages that wait for other code. */
export async function dataStatus(
  { entities, fills, dispatcher }: StatusSource,
  { kinds }: Pick<Definitions, "kinds">,
): Promise<DataStatus> {
  const ruledKinds = kinds.filter(({ properties }) => properties.some(({ name }) => name === outdatedProperty));
  const filters = [{ property: outdatedProperty, op: "==", value: true } as const];
  const outdated = await Promise.all(
    ruledKinds.map(async ({ kind }) => [kind, await entities.count({ kind, filters, orders: [] })] as const),
  );
  const waiting = (await dispatcher.backlog()).filter(({ misfit, messages }) => misfit === true && messages > 0);
  return {
    fills: await Promise.all(
      (await fills()).map(async ({ kind, properties, done, remaining: known }) => {
        const remaining = known ?? (await entities.count({ kind, filters: [], orders: [] })) - done;
        return { kind, fields: fieldsText(properties), done, remaining: Math.max(0, remaining) };
      }),
    ),
    outdated: Object.fromEntries(outdated.filter(([, count]) => count > 0)),
    waiting: Object.fromEntries(waiting.map(({ destination, messages }) => [destination, messages])),
  };
}

/** Formats the fields of an index. Describes in words the properties that only the framework indexes. */
function fieldsText(properties: readonly Order[]): string {
  const names = properties.map(({ property, direction }) => {
    const typed = propertyOfUnfit(property);
    const isRules = property === outdatedProperty;
    const name = typed !== undefined ? `types of ${typed}` : isRules ? "rules for older documents" : property;
    return direction === "desc" ? `${name} desc` : name;
  });
  return names.join(", ");
}
