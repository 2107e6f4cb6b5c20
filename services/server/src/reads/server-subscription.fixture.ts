import { planEvents, regionEvents, serverOrderEvents, serverEvents, stockEvents } from "@hostledger/core";
import {
  catalogueExamples,
  serverExamples,
  serverOrderExamples,
  serverRenewalExamples,
} from "@hostledger/core/testing";
import type { GivenEvent } from "@hostledger/read/testing";

import type { ServerSubscriptionEvent } from "./server.subscription.ts";

const renewalId = "serverrenewal-1";
const { ServerRenewalStarted } = serverRenewalExamples.events;

export const examples = {
  ...catalogueExamples.samples,
  ...serverExamples.samples,
  ...serverOrderExamples.events,
  ...serverRenewalExamples.events,
  ServerRenewalStarted: { ...ServerRenewalStarted, data: { ...ServerRenewalStarted.data, renewalId } },
} as const satisfies {
  readonly [Type in ServerSubscriptionEvent["type"]]: Extract<ServerSubscriptionEvent, { type: Type }>;
};

export function stored(event: ServerSubscriptionEvent): GivenEvent<ServerSubscriptionEvent> {
  return { event, stream: streamOf(event.type) };
}

export function allStored(events: readonly ServerSubscriptionEvent[]): GivenEvent<ServerSubscriptionEvent>[] {
  return events.map(stored);
}

function streamOf(type: ServerSubscriptionEvent["type"]): string {
  if (type in serverEvents) return "server-5";
  if (type in planEvents) return "plan-2";
  if (type in regionEvents) return "region-3";
  if (type in stockEvents) return "stock-2-3";
  return type in serverOrderEvents ? "serverorder-1" : renewalId;
}
