import { paidOrders, type DomainEvent } from "@hostledger/core";

import { ticketCauses } from "./ticket-causes.projection.ts";
import type { TicketText } from "./ticket-texts.ts";

export interface Cause extends Pick<TicketText, "title" | "priority"> {
  readonly isForStaff: boolean;
}

/** Event types that the projection of causes handles. */
export const handledEvents: ReadonlySet<string> = new Set(
  Object.entries(ticketCauses.handlers).flatMap(([type, handler]) => (handler === "ignored" ? [] : [type])),
);

/** Returns the tickets that an event opens according to the projection. */
export function openedBy(event: DomainEvent): readonly Cause[] {
  const handlers = new Map<string, unknown>(Object.entries(ticketCauses.handlers));
  const handler = handlers.get(event.type);
  if (typeof handler !== "function") return [];
  const process = paidOrders.find(({ events }) => event.type in events);
  const causes: Cause[] = [];
  const ignore = (): void => undefined;
  const upsert = (
    table: string,
    row: TicketText & { readonly account_id: number | null; readonly run: string | null },
  ) => {
    if (table !== "ticket_causes") return;
    const { title, priority, account_id: accountId, run } = row;
    causes.push({ title, priority, isForStaff: accountId === null && run === null });
  };
  const db = { upsert, update: ignore, delete: ignore, insert: ignore };
  Reflect.apply(handler, undefined, [
    db,
    { event, stream: `${process?.category ?? "spec"}-1`, revision: 1n },
  ]);
  return causes;
}
