import { serverExamples } from "@hostledger/core/testing";
import { projectionSpec, type ExpectedRows } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import { allStored, examples, stored } from "./server-subscription.fixture.ts";
import type { ServerSubscriptionEvent } from "./server.subscription.ts";
import type { serverTables } from "./server.tables.ts";
import { servers } from "./servers.projection.ts";

type Rows = ExpectedRows<typeof serverTables>;
type ServerRow = NonNullable<Rows["servers"]>[number];

const { at, expiresAt, place, rule, histories, initialRules } = serverExamples;

const ordered: ServerRow = {
  id: 5,
  account_id: 7,
  order_id: "o-1",
  plan_id: 2,
  region_id: 3,
  distro: "Debian 13",
  status: "provisioning",
  ip_address: "",
  node: "",
  rdns: "",
  hostname: null,
  whitelisted: 0,
  firewall_enabled: 1,
  created_at: at,
  expiry_date: expiresAt,
  cancelled: 0,
  auto_renew: 0,
  suspended_at: null,
  held: 0,
  hold_reason: null,
  staff_reason: null,
  released_at: null,
  node_changed_at: at,
};
const active: ServerRow = {
  ...ordered,
  status: "active",
  ip_address: place.ipAddress,
  node: place.node,
  rdns: place.rdns,
};

const ruleRow = ({ ruleId, enable, ...fields }: typeof rule, ordinal: number) => ({
  server_id: 5,
  rule_id: ruleId,
  ordinal,
  ...fields,
  enable: enable ? 1 : 0,
});
const [mail, monitoring] = initialRules;
const firstRules = [ruleRow(mail, 2), ruleRow(monitoring, 3)];

describe("servers", () => {
  /** Expected changes of an active server by event; other events change nothing. */
  const changed: Readonly<Partial<Record<ServerSubscriptionEvent["type"], Partial<ServerRow>>>> = {
    ServerRenewed: {
      expiry_date: "2026-03-31T10:00:00.000000Z",
    },
    ServerAutoRenewalChanged: { auto_renew: 1 },
    ServerSuspended: { status: "suspended", suspended_at: at },
    ServerSuspensionNoted: { staff_reason: "Ticket 17" },
    ServerUnsuspended: { released_at: at },
    ServerCancelled: { cancelled: 1 },
    ServerTerminationBegun: { status: "terminating" },
    ServerTerminated: { status: "terminated" },
    FirewallToggled: { firewall_enabled: 0 },
    HostnameChanged: { hostname: "web-1" },
    ServerWhitelisted: { whitelisted: 1 },
  };
  const apart = new Set([
    "ServerOrdered",
    "ServerProvisioned",
    "ServerOrderFailed",
    "FirewallRuleAdded",
    "FirewallRuleRemoved",
  ]);

  test("ServerOrdered", () => {
    projectionSpec(servers)
      .when(stored(examples.ServerOrdered))
      .then({ servers: [ordered] });
  });

  test("ServerProvisioned, with the first rules", () => {
    const rules = firstRules.toSorted((one, other) => (one.rule_id < other.rule_id ? -1 : 1));
    projectionSpec(servers)
      .given(...allStored(histories.active))
      .then({ servers: [active], firewall_rules: rules });
  });

  test("ServerOrderFailed", () => {
    projectionSpec(servers)
      .given(stored(examples.ServerOrdered))
      .when(stored(examples.ServerOrderFailed))
      .then({ servers: [] });
  });

  test("FirewallRuleAdded and FirewallRuleRemoved", () => {
    const given = projectionSpec(servers).given(...allStored(histories.active));
    const added = ruleRow(rule, 4);
    const byId = (...rows: (typeof added)[]) => rows.toSorted((a, b) => (a.rule_id < b.rule_id ? -1 : 1));
    given
      .when(stored(examples.FirewallRuleAdded))
      .then({ servers: [active], firewall_rules: byId(...firstRules, added) });
    given
      .given(stored(examples.FirewallRuleAdded))
      .when(stored(examples.FirewallRuleRemoved))
      .then({ servers: [active], firewall_rules: byId(...firstRules) });
  });

  test.each(Object.values(examples).filter(({ type }) => !apart.has(type)))("$type", (event) => {
    projectionSpec(servers)
      .given(...allStored(histories.active))
      .when(stored(event))
      .then({ servers: [{ ...active, ...changed[event.type] }] });
  });

  test("ServerSuspended as a hold, and its release", () => {
    const hold: ServerSubscriptionEvent = {
      type: "ServerSuspended",
      data: {
        serverId: 5,
        reason: "staff",
        hold: true,
        publicReason: "Sends unwanted mail",
        note: "Ticket 17",
        suspendedAt: at,
      },
    };
    const later = "2026-02-10T10:00:00.000000Z";
    const held = { held: 1, hold_reason: "Sends unwanted mail", staff_reason: "Ticket 17" };
    const given = projectionSpec(servers).given(...allStored(histories.active));
    given
      .when(stored(hold))
      .then({ servers: [{ ...active, status: "suspended", suspended_at: at, ...held }] });
    given
      .given(stored(hold))
      .when(
        stored({ type: "ServerSuspensionNoted", data: { serverId: 5, note: "Ticket 18", notedAt: later } }),
      )
      .then({
        servers: [{ ...active, status: "suspended", suspended_at: at, ...held, staff_reason: "Ticket 18" }],
      });
    given
      .given(stored(hold))
      .when(stored(examples.ServerUnsuspended))
      .then({ servers: [{ ...active, released_at: at }] });
  });

  test("ServerUnsuspended, ServerWhitelistingRevoked, and a host name that is cleared", () => {
    const cleared: ServerSubscriptionEvent = {
      type: "HostnameChanged",
      data: { serverId: 5, changeId: "c-2", hostname: null, changedAt: at },
    };
    const { ServerSuspended, ServerUnsuspended, ServerWhitelisted, ServerWhitelistingRevoked } = examples;
    projectionSpec(servers)
      .given(
        ...allStored([
          ...histories.active,
          ServerSuspended,
          ServerUnsuspended,
          ServerWhitelisted,
          ServerWhitelistingRevoked,
          examples.HostnameChanged,
        ]),
      )
      .when(stored(cleared))
      .then({ servers: [{ ...active, released_at: at }] });
  });

  test("a renewal undoes a cancellation", () => {
    projectionSpec(servers)
      .given(...allStored([...histories.active, examples.ServerCancelled]))
      .when(stored(examples.ServerRenewed))
      .then({ servers: [{ ...active, ...changed.ServerRenewed }] });
  });

  test("a renewal of a suspended server makes it active, and changes the node's desired state", () => {
    const renewedAt = "2026-03-05T10:00:00.000000Z";
    const renewal = serverExamples.renewed({ wasSuspended: true, renewedAt });
    projectionSpec(servers)
      .given(...allStored(histories.suspended))
      .when(stored(renewal))
      .then({
        servers: [
          {
            ...active,
            expiry_date: renewal.data.expiresAt,
            node_changed_at: renewedAt,
          },
        ],
      });
  });

  it("handle the events that the spec lists, and ignore the others by name", () => {
    const handled = Object.entries(servers.handlers).filter(([, handler]) => handler !== "ignored");
    const others = ["ServerWhitelistingRevoked"];
    expect(handled.map(([type]) => type).sort()).toEqual(
      [...apart, ...Object.keys(changed), ...others].sort(),
    );
  });
});
