import { formatEuros } from "@hostledger/core";
import type { Explanation } from "../explanation/explain-invoice.ts";
import { bareType, originOf, type Event } from "../event.ts";
import { columns, plainLine } from "../render/text.ts";
import { sentenceOf } from "./sentence-of.ts";

/** Writes an event as a line for people, ending with a newline. An event that does not count says why instead. */
export function timelineLine(event: Event): string {
  const { stream, revision, time, leftOut } = event;
  const place = `${stream}@${String(revision)}`;
  const sentence =
    leftOut === undefined ? sentenceOf(event) : `It does not count: ${leftOut.replace(/\.$/u, "")}.`;
  return `${time}  ${plainLine(place)}  ${plainLine(bareType(event))}: ${plainLine(sentence)}${byLine(event)}\n`;
}

export function explanationText(explanation: Explanation): string {
  const { number, invoiceId, accountId, cause, grossCents, outcome, steps } = explanation;
  const head = columns([
    ["invoice", `${number} (id ${String(invoiceId)})`],
    ["account", String(accountId)],
    ["cause", plainLine(cause)],
    ["gross EUR", formatEuros(grossCents)],
    ["outcome", outcome],
  ]);
  const rows = steps.map(({ kind, text, event }) => [
    event.time,
    kind,
    `${plainLine(text)}${byLine(event)}`,
    plainLine(`${event.stream}@${String(event.revision)}`),
  ]);
  return `${head}\n${columns(rows)}`;
}

function byLine(event: Event): string {
  const { actor, requestId } = originOf(event);
  const parts = [
    ...(actor === "" ? [] : [`by ${actor}`]),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
  ];
  return parts.length === 0 ? "" : ` (${plainLine(parts.join(", "))})`;
}
