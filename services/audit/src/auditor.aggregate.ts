import {
  auditor,
  auditorCodec,
  type AuditorCommand,
  type AuditorEvent,
  type AuditorState,
} from "@hostledger/core";
import type { Aggregate } from "@hostledger/event-store";

/** The rules of auditors' credentials with their streams and their stored events. */
export const auditorAggregate: Aggregate<AuditorCommand, AuditorState, AuditorEvent> = {
  category: "auditor",
  decider: auditor,
  codec: auditorCodec,
};
