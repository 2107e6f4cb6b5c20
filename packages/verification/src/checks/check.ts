import type { HostingEvent } from "@hostledger/core";
import type { LogEvent } from "@hostledger/transparency";
import type { CheckName } from "../finding.ts";

/** An event in log order, with its data in today's shape. */
export interface SeenEvent {
  /** The index of its leaf. */
  readonly index: number;
  readonly stored: LogEvent;
  /** The account whose stream the event is in, or undefined. */
  readonly accountId: number | undefined;
  /** Undefined for a foreign event, and where the event could not be read, which is told apart. */
  readonly event: HostingEvent | undefined;
}

/** Where a check says what is wrong with the event at an index. */
export type Report = (check: CheckName, index: number, message: string) => void;

/** One check over all events, in log order. */
export interface Check {
  see(seen: SeenEvent, report: Report): void;
  /** After the last event; `size` is the length of the log. */
  end(size: number, report: Report): void;
}
