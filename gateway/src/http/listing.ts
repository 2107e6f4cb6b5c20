import { defined, pagesById, yieldToOthers } from "@hostledger/runtime";
import { z } from "zod";

import type { Answer } from "./answer.ts";
import { apiPrefix } from "./operation.ts";
import { type KeptText, textOf } from "./kept-json.ts";
import { integerOfText } from "./values.schema.ts";

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

const orders = ["asc", "desc"] as const;
const orderRule = `must be ${orders.join(" or ")}`;
const timeRule = "must be a day such as 2026-11-21, or a time such as 2026-11-21T12:00:00Z";
const timePattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z)?$/;

const limitRule = "must be an integer from 1 to 1000";
const afterRule = "must be an id: an integer of 0 or more";

const timeText = (description: string) =>
  z
    .string({ error: timeRule })
    .regex(timePattern, { error: timeRule, abort: true })
    .refine((text) => isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)), { error: timeRule })
    .optional()
    .meta({ description });

/** Returns false for dates that do not exist, such as 31 June. */
function isDay(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/** Page of a list (contract, "Conventions"). Without `limit` and `after` the whole list is returned. */
export const pageQuery = z.object({
  limit: z
    .string({ error: limitRule })
    .regex(/^([1-9]\d{0,2}|1000)$/, { error: limitRule, abort: true })
    .transform(Number)
    .optional()
    .meta({ description: "Items per page, 1 to 1,000.", ...integerOfText(1, 1_000) }),
  after: z
    .string({ error: afterRule })
    .regex(/^(0|[1-9]\d{0,15})$/, { error: afterRule, abort: true })
    .transform((digits) => BigInt(digits))
    .refine((id) => id <= BigInt(Number.MAX_SAFE_INTEGER), { error: afterRule })
    .optional()
    .meta({ description: "Last id of the previous page.", ...integerOfText(0, Number.MAX_SAFE_INTEGER) }),
  order: z
    .enum(orders, { error: orderRule })
    .optional()
    .meta({ description: "Order by id: `asc` (default) is oldest first, `desc` is newest first." }),
});

/** Page and creation times of a list. */
export const listQuery = pageQuery.extend({
  from: timeText("Return only items created on or after this day (UTC) or time."),
  to: timeText("Return only items created on or before this day (UTC), or before this time."),
});

/** Returns the filter of a list by status. @param words possible statuses */
export function statusText<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z
    .enum(words, { error: `must be one of ${words.join(", ")}` })
    .optional()
    .meta({ description: "Return only items with this status." });
}

/** Returns the filter of a list by name. */
export const nameText = (description: string) =>
  z
    .string({ error: "must be one name" })
    .max(255, { error: "must be at most 255 characters long" })
    .optional()
    .meta({ description });

const dayMs = 86_400_000;

/** Returns the first instant of a day, or a time with six decimals. @param days added to a day */
function instantOf(text: string, days = 0): string {
  if (!text.includes("T"))
    return `${new Date(Date.parse(text) + days * dayMs).toISOString().slice(0, -1)}000Z`;
  const [seconds, decimals = ""] = text.slice(0, -1).split(".");
  return `${String(seconds)}.${decimals.padEnd(6, "0")}Z`;
}

type PageQuery = z.output<typeof pageQuery>;
