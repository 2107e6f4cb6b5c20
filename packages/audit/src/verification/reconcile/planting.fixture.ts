import { differenceLine, reconcile, type OtherSides } from "../index.ts";
import type { LogEvent } from "../../log/index.ts";
import type { Change, Stored } from "./outside.fixture.ts";

/** Plants differences in the stored events of `outsideLog`, and finds them. */

const outsideSides: readonly string[] = ["bank-statements", "books-bank", "books-provider"];

/** Returns the differences between bank, provider and books; these books have no receipts. */
export const found = (
  events: readonly LogEvent[],
  sides: Omit<OtherSides, "shown"> = {},
): readonly string[] =>
  reconcile(events, undefined, { unmatchedDays: 14, ...sides })
    .differences.filter((difference) => outsideSides.includes(difference.sides))
    .map((difference) => differenceLine(difference));

export const isOf = ([, stream, type, data]: Stored, wanted: string, part: string): boolean =>
  type.startsWith(`${wanted}.`) && `${stream} ${JSON.stringify(data)}`.includes(part);
export const dropping =
  (type: string, part = ""): Change =>
  (stored) =>
    isOf(stored, type, part) ? [] : [stored];
export const doubling =
  (type: string, part: string, change: (text: string) => string = (text) => text): Change =>
  (stored) =>
    isOf(stored, type, part) ? [stored, changed(stored, change)] : [stored];
export const altering =
  (type: string, part: string, from: string, to: string): Change =>
  (stored) =>
    isOf(stored, type, part) ? [changed(stored, (text) => text.replace(from, to))] : [stored];
export const adding =
  (type: string, part: string, stream: string): Change =>
  (stored) =>
    isOf(stored, type, part) ? [stored, [stored[0], stream, stored[2], stored[3]]] : [stored];
export const moving =
  (type: string, part: string, stream: string): Change =>
  (stored) =>
    isOf(stored, type, part) ? [[stored[0], stream, stored[2], stored[3]]] : [stored];

export function changed([day, stream, type, data]: Stored, change: (text: string) => string): Stored {
  const altered: unknown = JSON.parse(change(JSON.stringify(data)));
  return [day, stream, type, altered instanceof Object ? altered : {}];
}
