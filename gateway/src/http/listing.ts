import { defined, pagesById, yieldToOthers } from "@hostledger/runtime";

import { instantOf, type PageQuery } from "../schemas/page.schema.ts";
import type { Answer } from "./answer.ts";
import { apiPrefix } from "./operation.ts";
import { textOf, type KeptText } from "./kept-text.ts";

/** The requested part of a list (`hosting.common.v1.Page`). */
export interface ServicePage {
  readonly afterId: bigint;
  readonly limit: number;
  readonly descending?: boolean;
  readonly filter?: ServiceFilter;
}

/** `hosting.common.v1.Filter`. */
interface ServiceFilter {
  readonly status?: string;
  readonly name?: string;
  readonly domainId?: bigint;
  readonly from?: string;
  readonly before?: string;
}

interface ListQuery extends PageQuery {
  readonly status?: string | undefined;
  readonly name?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

type ReadPage<Item> = (page: ServicePage) => Promise<readonly Item[]>;

type WritePage<Item> = (items: readonly Item[]) => string | KeptText;

interface WithId {
  readonly id: number | bigint;
}

/** Page size when the client sets no limit. */
const fullPage = 1_000;

/**
 * Answers a list: one page with a `Link` to the next (RFC 8288), or everything after `after`. The first page is read
 * before the answer begins, so a refusal still gets its status. Later pages are read while sending.
 *
 * @param path of the list below the API prefix, for the link.
 * @param query of the client; the link repeats all of it except `after`.
 * @param read returns finished items if no writer is given.
 */
export function listed<Item extends { readonly id: number }>(
  path: string,
  query: ListQuery,
  read: ReadPage<Item>,
): Promise<Answer>;
export function listed<Item extends { readonly id: bigint }>(
  path: string,
  query: ListQuery,
  read: ReadPage<Item>,
  write: WritePage<Item>,
): Promise<Answer>;
export async function listed(
  path: string,
  query: ListQuery,
  read: ReadPage<WithId>,
  write: WritePage<WithId> = (items) => JSON.stringify(items),
): Promise<Answer> {
  const { limit, after = 0n } = query;
  const asked = askedOf(query);
  if (limit === undefined) {
    const first = await read({ ...asked, afterId: after, limit: fullPage });
    const last = first.at(-1);
    const text = write(first);
    if (last === undefined || first.length < fullPage) return { status: 200, text };
    const rest = pagesById({
      read: (afterId, size) => read({ ...asked, afterId: BigInt(afterId), limit: size }),
      idOf: ({ id }) => Number(id),
      size: fullPage,
      after: Number(last.id),
    });
    return { status: 200, text, rest: textsOf(rest, write) };
  }
  // Reads one item more than requested to see whether a next page exists.
  const items = await read({ ...asked, afterId: after, limit: limit + 1 });
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const text = write(page);
  if (items.length <= limit || last === undefined) return { status: 200, text };
  return { status: 200, text, headers: { Link: `<${linkTo(path, query, last.id)}>; rel="next"` } };
}

async function* textsOf(
  pages: AsyncIterable<readonly WithId[]>,
  write: WritePage<WithId>,
): AsyncGenerator<string> {
  // Yields between pages, so a fast client does not block the thread.
  await yieldToOthers();
  for await (const page of pages) yield textOf(write(page));
}

/** Returns the requested order and filter; absent if the client set none. */
function askedOf({ order, status, name, from, to }: ListQuery): Omit<ServicePage, "afterId" | "limit"> {
  const filter: ServiceFilter = defined({
    status,
    name,
    from: from === undefined ? undefined : instantOf(from),
    before: to === undefined ? undefined : instantOf(to, 1),
  });
  return {
    ...(order === "desc" ? { descending: true } : {}),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
  };
}

function linkTo(path: string, query: ListQuery, after: WithId["id"]): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && name !== "after") parameters.set(name, String(value));
  }
  parameters.set("after", String(after));
  return `${apiPrefix}${path}?${parameters.toString()}`;
}
