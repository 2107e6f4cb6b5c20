import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import type { ServerCommand, ToggleFirewall } from "./server.commands.ts";
import { server } from "./server.decider.ts";
import type { FirewallRuleAdded, RecordedFirewallRule, ServerEvent } from "./server.events.ts";
import {
  at,
  commands,
  samples,
  histories,
  initialRules,
  orderId,
  provisioning,
  rule,
  serverAfter,
} from "./server.fixture.ts";
import { serverLimits } from "./server.state.ts";

const spec = deciderSpec(server);
const { active, suspended } = histories;
const later = "2026-02-10T08:00:00.000000Z";

function toggle(enabled: boolean, changeId = "c-toggle"): ToggleFirewall {
  return { type: "ToggleFirewall", data: { changeId, enabled, at } };
}

function added(data: Partial<RecordedFirewallRule>): FirewallRuleAdded {
  return { type: "FirewallRuleAdded", data: { serverId: 5, rule: { ...rule, ...data }, addedAt: at } };
}

function addRule(data: Partial<RecordedFirewallRule> = {}): ServerCommand {
  return { type: "AddFirewallRule", data: { rule: { ...rule, ...data }, at } };
}

function removeRule(ruleId: string, changeId = "c-remove"): ServerCommand {
  return { type: "RemoveFirewallRule", data: { changeId, ruleId, at } };
}

describe("the firewall", () => {
  const {
    FirewallToggled: off,
    ServerWhitelisted: whitelisted,
    ServerWhitelistingRevoked: revoked,
  } = samples;
  const on: ServerEvent = { ...off, data: { ...off.data, changeId: "c-on", enabled: true } };

  it("cannot be turned off", () => {
    spec
      .given(...active)
      .when(toggle(false))
      .thenRejected("firewall-locked");
    spec
      .given(...suspended)
      .when(toggle(false))
      .thenRejected("firewall-locked");
  });

  it("can be turned off by a whitelisted server, and on again", () => {
    spec
      .given(...active, whitelisted)
      .when(toggle(false))
      .then(off);
    spec
      .given(...active, whitelisted, off)
      .when(toggle(true, "c-on"))
      .then(on);
  });

  it("of a server that was ordered as whitelisted can be turned off", () => {
    const order: ServerEvent = {
      type: "ServerOrdered",
      data: { ...samples.ServerOrdered.data, whitelisted: true },
    };
    spec
      .given(order, ...provisioning)
      .when(toggle(false))
      .then(off);
  });

  it("adds no event if it is already so", () => {
    spec
      .given(...active)
      .when(toggle(true))
      .thenNothing();
    spec
      .given(...active, whitelisted, off)
      .when(toggle(false, "c-other"))
      .thenNothing();
  });

  it("of a server that is no longer whitelisted stays off, and is refused to be turned off", () => {
    spec
      .given(...active, whitelisted, off, revoked)
      .when(toggle(false, "c-other"))
      .thenRejected("firewall-locked");
    expect(serverAfter(whitelisted, off, revoked).firewall.enabled).toBe(false);
    spec
      .given(...active, whitelisted, off, revoked)
      .when(toggle(true, "c-on"))
      .then(on);
  });

  it("is not turned off again by a repeated change, despite later changes", () => {
    spec
      .given(...active, whitelisted, off, on)
      .when(toggle(false))
      .thenNothing();
    spec
      .given(...active, whitelisted, off, revoked)
      .when(toggle(false))
      .thenNothing();
  });
});

describe("whitelisting", () => {
  const { ServerWhitelisted: whitelisted, ServerWhitelistingRevoked: revoked } = samples;

  it("is given and revoked, each once", () => {
    spec
      .given(...active)
      .when(commands.WhitelistServer)
      .then(whitelisted);
    spec
      .given(...active, whitelisted)
      .when(commands.WhitelistServer)
      .thenNothing();
    spec
      .given(...active, whitelisted)
      .when(commands.RevokeWhitelisting)
      .then(revoked);
    spec
      .given(...active)
      .when(commands.RevokeWhitelisting)
      .thenNothing();
  });
});

describe("a firewall rule", () => {
  it("is added behind the others", () => {
    spec
      .given(...active)
      .when(addRule())
      .then(samples.FirewallRuleAdded);
    expect(serverAfter(samples.FirewallRuleAdded).firewall.rules.at(-1)).toEqual(rule);
  });

  it("is added once, even if it was removed since", () => {
    spec
      .given(...active, samples.FirewallRuleAdded)
      .when(addRule())
      .thenNothing();
    spec
      .given(...active, samples.FirewallRuleAdded, samples.FirewallRuleRemoved)
      .when(addRule())
      .thenNothing();
  });

  it("is removed by its id; those behind it move up", () => {
    const second = added({ ruleId: "c-second" });
    spec
      .given(...active, samples.FirewallRuleAdded, second)
      .when(removeRule("c-rule"))
      .then(samples.FirewallRuleRemoved);
    const { rules } = serverAfter(samples.FirewallRuleAdded, second, samples.FirewallRuleRemoved).firewall;
    expect(rules.map(({ ruleId }) => ruleId)).toEqual([
      `${orderId}/mail`,
      `${orderId}/monitoring`,
      "c-second",
    ]);
  });

  it("that does not exist is not found, unless this change removed it", () => {
    spec
      .given(...active)
      .when(removeRule("c-rule"))
      .thenRejected("not-found");
    const removed = [...active, samples.FirewallRuleAdded, samples.FirewallRuleRemoved];
    spec
      .given(...removed)
      .when(removeRule("c-rule"))
      .thenNothing();
    spec
      .given(...removed)
      .when(removeRule("c-rule", "c-other"))
      .thenRejected("not-found");
  });

  it.each(initialRules.map(({ ruleId }) => ruleId))("of a new server stays: %s", (ruleId) => {
    spec
      .given(...active)
      .when(removeRule(ruleId))
      .thenRejected("protected-port");
  });

  it.each(["", "25", "5000", "20:30", "80,5000", "1:65535", "24:26"])(
    "added by a customer can be removed by the customer, for every port: %j",
    (dport) => {
      spec
        .given(...active, added({ dport }))
        .when(removeRule("c-rule"))
        .then(samples.FirewallRuleRemoved);
    },
  );

  it("belongs to at most a hundred rules", () => {
    const room = serverLimits.firewallRules - initialRules.length;
    const full = Array.from({ length: room }, (_, index) => added({ ruleId: `c-${String(index)}` }));
    spec
      .given(...active, ...full)
      .when(addRule())
      .thenRejected("validation-failed", {
        fieldErrors: { rules: ["must be at most 100: remove one first"] },
      });
    spec
      .given(...active, ...full.slice(1))
      .when(addRule())
      .then(samples.FirewallRuleAdded);
    // A repeat of the last added rule adds nothing.
    spec
      .given(...active, ...full)
      .when(addRule({ ruleId: "c-0" }))
      .thenNothing();
  });
});

describe("the host name", () => {
  const name = (hostname: string | null, changeId = "c-name"): ServerCommand => ({
    type: "ChangeHostname",
    data: { changeId, hostname, at: later },
  });
  const named = (hostname: string | null, changeId: string): ServerEvent => ({
    type: "HostnameChanged",
    data: { serverId: 5, changeId, hostname, changedAt: later },
  });

  it("is set, changed and cleared", () => {
    spec
      .given(...active)
      .when(commands.ChangeHostname)
      .then(samples.HostnameChanged);
    spec
      .given(...active, samples.HostnameChanged)
      .when(name("web-2", "c-2"))
      .then(named("web-2", "c-2"));
    spec
      .given(...active, samples.HostnameChanged)
      .when(name(null, "c-2"))
      .then(named(null, "c-2"));
  });

  it("adds no event if it is unchanged", () => {
    spec
      .given(...active)
      .when(name(null))
      .thenNothing();
    spec
      .given(...active, samples.HostnameChanged)
      .when(name("web-1", "c-2"))
      .thenNothing();
  });

  it("is not set again by a repeated change, despite later changes", () => {
    spec
      .given(...active, samples.HostnameChanged, named("web-2", "c-2"))
      .when(name("web-1"))
      .thenNothing();
  });
});

describe("the changes that are remembered", () => {
  it("are the last thousand", () => {
    const many = Array.from({ length: serverLimits.rememberedChanges + 1 }, (_, index): ServerEvent => ({
      type: "HostnameChanged",
      data: { serverId: 5, changeId: `c-${String(index)}`, hostname: null, changedAt: at },
    }));
    const { changes } = serverAfter(...many);
    expect([changes.length, changes[0], changes.at(-1)]).toEqual([1_000, "c-1", "c-1000"]);
  });
});
