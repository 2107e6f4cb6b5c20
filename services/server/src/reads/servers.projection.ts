import { addMonths } from "@hostledger/core";
import type { Projection } from "@hostledger/read";

import { catalogueIgnored, runsIgnored, type ServerSubscriptionEvent } from "./server.subscription.ts";
import { serverTables } from "./server.tables.ts";

/** Servers with their firewalls. A server's row exists from the order on, for ever; failed orders have none. */
export const servers: Projection<ServerSubscriptionEvent, typeof serverTables> = {
  name: "servers",
  version: 6,
  categories: ["server"],
  tables: serverTables,
  handlers: {
    ServerOrdered: (db, { event: { data } }) => {
      db.insert("servers", {
        id: data.serverId,
        account_id: data.accountId,
        order_id: data.orderId,
        plan_id: data.planId,
        region_id: data.regionId,
        distro: data.distro,
        status: "provisioning",
        ip_address: "",
        node: "",
        rdns: "",
        hostname: null,
        whitelisted: data.whitelisted,
        firewall_enabled: true,
        created_at: data.orderedAt,
        // Approximate, because the months begin when the server is provisioned.
        expiry_date: addMonths(data.orderedAt, data.months),
        cancelled: false,
        auto_renew: false,
        suspended_at: null,
        held: false,
        hold_reason: null,
        staff_reason: null,
        released_at: null,
        node_changed_at: data.orderedAt,
      });
    },
    ServerProvisioned: (db, { event: { data } }) => {
      db.update(
        "servers",
        { id: data.serverId },
        {
          status: "active",
          ip_address: data.ipAddress,
          node: data.node,
          rdns: data.rdns,
          expiry_date: data.expiresAt,
          node_changed_at: data.provisionedAt,
        },
      );
    },
    ServerOrderFailed: (db, { event: { data } }) => {
      db.delete("servers", { id: data.serverId });
    },
    ServerRenewalBegun: "ignored",
    ServerRenewalFailed: "ignored",
    ServerAutoRenewalChanged: (db, { event: { data } }) => {
      const { serverId, autoRenew } = data;
      db.update(
        "servers",
        { id: serverId },
        { auto_renew: autoRenew, ...(autoRenew && { cancelled: false }) },
      );
    },
    ServerRenewed: (db, { event: { data } }) => {
      db.update(
        "servers",
        { id: data.serverId },
        {
          expiry_date: data.expiresAt,
          cancelled: false,
          ...(!data.staysSuspended && { status: "active", suspended_at: null, staff_reason: null }),
          ...(data.wasSuspended && !data.staysSuspended && { node_changed_at: data.renewedAt }),
        },
      );
    },
    ServerSuspended: (db, { event: { data } }) => {
      const { suspendedAt, hold, publicReason, note } = data;
      const changes = {
        status: "suspended",
        suspended_at: suspendedAt,
        held: hold,
        hold_reason: publicReason,
        staff_reason: note,
        node_changed_at: suspendedAt,
      };
      db.update("servers", { id: data.serverId }, changes);
    },
    ServerSuspensionNoted: (db, { event: { data } }) => {
      db.update("servers", { id: data.serverId }, { staff_reason: data.note });
    },
    ServerUnsuspended: (db, { event: { data } }) => {
      const { serverId: id, unsuspendedAt } = data;
      const changes = {
        status: "active",
        suspended_at: null,
        held: false,
        hold_reason: null,
        staff_reason: null,
        released_at: unsuspendedAt,
        node_changed_at: unsuspendedAt,
      };
      db.update("servers", { id }, changes);
    },
    ServerCancelled: (db, { event: { data } }) => {
      db.update("servers", { id: data.serverId }, { cancelled: true, auto_renew: false });
    },
    ServerTerminationBegun: (db, { event: { data } }) => {
      const changes = { status: "terminating", node_changed_at: data.begunAt };
      db.update("servers", { id: data.serverId }, changes);
    },
    ServerTerminated: (db, { event: { data } }) => {
      db.update("servers", { id: data.serverId }, { status: "terminated" });
    },
    FirewallToggled: (db, { event: { data } }) => {
      const changes = { firewall_enabled: data.enabled, node_changed_at: data.toggledAt };
      db.update("servers", { id: data.serverId }, changes);
    },
    FirewallRuleAdded: (db, { event: { data }, revision }) => {
      const { ruleId, ...rule } = data.rule;
      db.insert("firewall_rules", {
        server_id: data.serverId,
        rule_id: ruleId,
        ordinal: revision,
        ...rule,
      });
      db.update("servers", { id: data.serverId }, { node_changed_at: data.addedAt });
    },
    FirewallRuleRemoved: (db, { event: { data } }) => {
      db.delete("firewall_rules", { server_id: data.serverId, rule_id: data.ruleId });
      db.update("servers", { id: data.serverId }, { node_changed_at: data.removedAt });
    },
    HostnameChanged: (db, { event: { data } }) => {
      db.update("servers", { id: data.serverId }, { hostname: data.hostname });
    },
    ServerWhitelisted: (db, { event: { data } }) => {
      db.update("servers", { id: data.serverId }, { whitelisted: true });
    },
    ServerWhitelistingRevoked: (db, { event: { data } }) => {
      db.update("servers", { id: data.serverId }, { whitelisted: false });
    },
    ...catalogueIgnored,
    ...runsIgnored,
  },
};
