import type { workTables } from "@hostledger/work/work-table";
import { projectionSpec, type ExpectedRows, type GivenEvent } from "@hostledger/read/testing";
import { describe, test } from "vitest";

import { examples } from "./server-subscription.fixture.ts";
import type { ServerSubscriptionEvent } from "./server.subscription.ts";
import { serverWork } from "./work.projection.ts";

type WorkRow = NonNullable<ExpectedRows<typeof workTables>["work"]>[number];

const { ServerProvisioned, ServerTerminated } = examples;
const first = "2026-03-01T10:00:00.000000Z";
const later = "2027-01-01T00:00:00.000000Z";
const on = (event: ServerSubscriptionEvent, time = first): GivenEvent<ServerSubscriptionEvent> => ({
  event,
  time,
  stream: "server-5",
});
const row = (kind: string, due_at: string): WorkRow => ({
  kind,
  key: "5",
  account_id: ServerProvisioned.data.accountId,
  due_at,
  awaits_funds: 0,
});
const both = (nodeDueAt: string, termDueAt: string): readonly WorkRow[] => [
  row("server-node", nodeDueAt),
  row("server-term", termDueAt),
];
const waking = Object.values(examples).filter(
  ({ type }) =>
    serverWork.handlers[type] !== "ignored" && type !== "ServerProvisioned" && type !== "ServerTerminated",
);
/** Events that change a node's desired state. */
const aboutNodes = new Set([
  "ServerRenewed",
  "ServerSuspended",
  "ServerUnsuspended",
  "ServerTerminationBegun",
  "FirewallToggled",
  "FirewallRuleAdded",
  "FirewallRuleRemoved",
]);

describe("the work on servers", () => {
  test("begins with ServerProvisioned", () => {
    projectionSpec(serverWork)
      .when(on(ServerProvisioned))
      .then({ work: both(first, first) });
  });

  test.each(waking)("is due after $type", (event) => {
    projectionSpec(serverWork)
      .given(on(ServerProvisioned))
      .when(on(event, later))
      .then({ work: both(aboutNodes.has(event.type) ? later : first, later) });
  });

  test("ends with ServerTerminated", () => {
    projectionSpec(serverWork)
      .given(on(ServerProvisioned))
      .when(on(ServerTerminated, later))
      .then({ work: [] });
  });
});
