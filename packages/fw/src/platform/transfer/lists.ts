import type { Account } from "../accounts.ts";
import type { Document, Platform } from "../contract.ts";
import type { ObjectFacts, ObjectPage } from "../objects.ts";

const pageSize = 1_000;

async function* pagesOf<Page extends { readonly next?: string }>(
  ask: (after: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let page: Page | undefined;
  do {
    page = await ask(page?.next);
    yield page;
  } while (page.next !== undefined);
}

/** Lists all documents of a kind, sorted by the bytes of their ids. */
export async function* documentsOf({ entities }: Platform, kind: string): AsyncGenerator<Document, void> {
  const query = { kind, filters: [], orders: [], limit: pageSize };
  for await (const { documents } of pagesOf((after) => entities.query({ ...query, ...(after && { after }) })))
    yield* documents;
}

/** Lists all objects of a bucket, sorted by the bytes of their keys. */
export async function* objectsOf({ objects }: Platform, bucket: string): AsyncGenerator<ObjectFacts, void> {
  const ask = (after: string | undefined): Promise<ObjectPage> =>
    objects.list(bucket, "", { limit: pageSize, ...(after && { after }) });
  for await (const page of pagesOf(ask)) yield* page.objects;
}

/** Lists all accounts, in the store's own order. */
export async function* accountsOf({ accounts }: Platform): AsyncGenerator<Account, void> {
  for await (const page of pagesOf((after = "") => accounts.list(pageSize, after))) yield* page.accounts;
}
