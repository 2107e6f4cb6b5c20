import type { HostingEvent } from "@hostledger/core";
import type { LogEvent } from "../../log/index.ts";
import type { CheckName } from "../finding.ts";

/** An event in log order, upcast to the present version. */
export interface SeenEvent {
  /** Index of its leaf. */
  readonly index: number;
  readonly stored: LogEvent;
  /** Account of the stream; undefined for other streams. */
  readonly accountId: number | undefined;
  /** Undefined for foreign events and for events that do not count (`LogJudge`). */
  readonly event: HostingEvent | undefined;
}

/** Reports a finding about the event at an index. */
export type Report = (check: CheckName, index: number, message: string) => void;

/** A check over all events in log order. */
export interface Check {
  see(seen: SeenEvent, report: Report): void;
  /** Called after the last event; `size` is the length of the log. */
  end(size: number, report: Report): void;
}
