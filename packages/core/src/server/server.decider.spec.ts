import { describe, expect, it, test } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { initialFirewallRules } from "./firewall-rule.ts";
import { server } from "./server.decider.ts";
import type { ServerEvent } from "./server.events.ts";
import {
  commands,
  expiresAt,
  samples,
  histories,
  orderId,
  orderServer,
  place,
  provisioning,
} from "./server.fixture.ts";
import type { ServerState } from "./server.state.ts";

const spec = deciderSpec(server);
const { active, suspended } = histories;

function fold(history: readonly ServerEvent[]): ServerState {
  return history.reduce(server.evolve, server.initialState);
}

describe("an order", () => {
  it("begins a server's stream", () => {
    spec.given().when(commands.OrderServer).then(samples.ServerOrdered);
  });

  it.each(["ordered", "failed", "active", "suspended", "terminating", "terminated"] as const)(
    "repeated when it is %s adds nothing",
    (status) => {
      spec
        .given(...histories[status])
        .when(commands.OrderServer)
        .thenNothing();
      spec
        .given(...histories[status])
        .when(orderServer({ orderId: "o-2" }))
        .thenRejected("order-not-found");
    },
  );

  it("stores the key for the first login in the event, and not in the state", () => {
    const sshKey = "ssh-ed25519 AAAA";
    spec
      .given()
      .when(orderServer({ sshKey }))
      .then({ type: "ServerOrdered", data: { ...samples.ServerOrdered.data, sshKey } });
    const state = fold([{ type: "ServerOrdered", data: { ...samples.ServerOrdered.data, sshKey } }]);
    expect(JSON.stringify(state)).not.toContain(sshKey);
  });

  it("that is provisioned makes a server with its firewall on and its first rules, from now for its months", () => {
    spec
      .given(samples.ServerOrdered)
      .when(commands.RecordProvisioned)
      .then(...provisioning);
    expect(fold(active)).toEqual({
      status: "active",
      server: expect.objectContaining({
        ...place,
        expiresAt,
        anchorDay: 31,
        hostname: null,
        whitelisted: false,
        firewall: { enabled: true, rules: initialFirewallRules(orderId) },
      }),
    });
  });

  it.each(["active", "suspended", "terminating", "terminated"] as const)(
    "is provisioned once: again when it is %s adds nothing",
    (status) => {
      spec
        .given(...histories[status])
        .when(commands.RecordProvisioned)
        .thenNothing();
    },
  );

  it("may be a gift, which has no charge", () => {
    const free = { chargeId: null, invoiceId: null };
    const [first, ...rules] = provisioning;
    if (first?.type !== "ServerProvisioned") throw new Error("the server comes first");
    spec
      .given(samples.ServerOrdered)
      .when({ type: "RecordProvisioned", data: { ...commands.RecordProvisioned.data, ...free } })
      .then({ type: "ServerProvisioned", data: { ...first.data, ...free } }, ...rules);
  });

  it("that failed ends without a server, once", () => {
    spec.given(samples.ServerOrdered).when(commands.RecordOrderFailed).then(samples.ServerOrderFailed);
    spec
      .given(...histories.failed)
      .when(commands.RecordOrderFailed)
      .thenNothing();
  });

  it("that failed cannot be provisioned, and one that is provisioned cannot fail", () => {
    spec
      .given(...histories.failed)
      .when(commands.RecordProvisioned)
      .thenRejected("order-not-found");
    spec
      .given(...active)
      .when(commands.RecordOrderFailed)
      .thenRejected("order-completed");
    spec
      .given(...suspended)
      .when(commands.RecordOrderFailed)
      .thenRejected("order-completed");
  });

  it.each(["absent", "ordered", "active"] as const)(
    "with another id is not found when this one is %s",
    (status) => {
      const other = { orderId: "o-2" };
      const record = {
        ...commands.RecordProvisioned,
        data: { ...commands.RecordProvisioned.data, ...other },
      };
      const fail = { ...commands.RecordOrderFailed, data: { ...commands.RecordOrderFailed.data, ...other } };
      spec
        .given(...histories[status])
        .when(record)
        .thenRejected("order-not-found");
      spec
        .given(...histories[status])
        .when(fail)
        .thenRejected("order-not-found");
    },
  );
});

describe("a server that is not there", () => {
  const existing = Object.values(commands).filter(
    ({ type }) => !["OrderServer", "RecordProvisioned", "RecordOrderFailed"].includes(type),
  );

  test.each(existing)("refuses $type as not found, or as not ready while it is set up", (command) => {
    spec.given().when(command).thenRejected("not-found");
    spec
      .given(...histories.failed)
      .when(command)
      .thenRejected("not-found");
    spec
      .given(...histories.ordered)
      .when(command)
      .thenRejected("server-not-active");
  });
});

describe("a server's stream", () => {
  const canFollow: Readonly<Record<ServerState["status"], readonly ServerEvent["type"][]>> = {
    absent: ["ServerOrdered"],
    ordered: ["ServerProvisioned", "ServerOrderFailed"],
    failed: [],
    active: [
      "ServerRenewalBegun",
      "ServerRenewed",
      "ServerSuspended",
      "FirewallToggled",
      "FirewallRuleAdded",
      "HostnameChanged",
      "ServerWhitelisted",
      "ServerWhitelistingRevoked",
      "ServerCancelled",
      "ServerAutoRenewalChanged",
      "ServerTerminationBegun",
    ],
    suspended: [
      "ServerRenewalBegun",
      "ServerRenewed",
      "ServerSuspensionNoted",
      "ServerUnsuspended",
      "FirewallToggled",
      "FirewallRuleAdded",
      "HostnameChanged",
      "ServerWhitelisted",
      "ServerWhitelistingRevoked",
      "ServerCancelled",
      "ServerAutoRenewalChanged",
      "ServerTerminationBegun",
    ],
    terminating: ["ServerTerminated"],
    terminated: [],
  };

  for (const [status, types] of Object.entries(canFollow)) {
    test.each(Object.values(samples))(`${status}: $type`, (event) => {
      const history = Object.entries(histories).find(([name]) => name === status)?.[1] ?? [];
      expect(fold(history).status).toBe(status);
      const append = (): ServerState => fold([...history, event]);
      if (types.includes(event.type)) expect(append).not.toThrow();
      else expect(append).toThrow(CorruptStreamError);
    });
  }
});
