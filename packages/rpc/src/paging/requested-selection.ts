import type { Page } from "@hostledger/protocol";

import { requestedPage, type RequestedPage } from "./requested-page.ts";

/** Requested items of a list and their order. Every field has a value, so one prepared query serves all requests. */
export interface RequestedSelection extends RequestedPage {
  /** Newest first: `afterId` is above every id that is asked for. */
  readonly descending: boolean;
  /** Empty for every status. */
  readonly status: string;
  /** Empty for every name. */
  readonly name: string;
  /** 0 for every domain. */
  readonly domainId: number;
  /** Created at this instant or later. */
  readonly from: string;
  /** Created before this instant. */
  readonly before: string;
}

/** Behind every instant. */
const endOfTime = "9999-12-31T23:59:59.999999Z";

/** Reads which items of a list are asked for. @throws ConnectError `validation-failed` */
export function requestedSelection(page: Page | undefined): RequestedSelection {
  const { afterId, limit } = requestedPage(
    page === undefined ? undefined : { afterId: page.afterId, limit: page.limit },
  );
  const { status = "", name = "", domainId = 0n, from = "", before = endOfTime } = page?.filter ?? {};
  const descending = page?.descending ?? false;
  return {
    afterId: descending && afterId === 0 ? Number.MAX_SAFE_INTEGER : afterId,
    limit,
    descending,
    status,
    name,
    domainId: Number(domainId),
    from,
    before,
  };
}

/** Fields by which filters select. */
interface SelectableItem {
  readonly id: number;
  readonly createdAt: string;
  readonly status?: string;
  readonly name?: string;
}

/** Selects the requested items from memory, in the requested order. */
export function selectItems<Item>(
  items: Iterable<Item>,
  selection: RequestedSelection,
  shownBy: (item: Item) => SelectableItem,
): Item[] {
  const { afterId, descending, from, before } = selection;
  const sign = descending ? -1 : 1;
  return Array.from(items, (item) => ({ item, shown: shownBy(item) }))
    .filter(({ shown }) => sign * (shown.id - afterId) > 0)
    .filter(({ shown }) => shown.createdAt >= from && shown.createdAt < before)
    .filter(({ shown }) => selection.status === "" || shown.status === selection.status)
    .filter(({ shown }) => selection.name === "" || shown.name === selection.name)
    .sort((one, other) => sign * (one.shown.id - other.shown.id))
    .slice(0, selection.limit)
    .map(({ item }) => item);
}
