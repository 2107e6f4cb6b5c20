import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { server } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import { refuseUnlessOwner, theirs } from "./ownership.ts";

export type ServerHandlers = ServiceImpl<typeof server.ServerService>;
export type CatalogueHandlers = ServiceImpl<typeof server.CatalogueService>;

export function serverMessage(
  id: bigint,
  changes: MessageInitShape<typeof server.ServerSchema> = {},
): server.Server {
  return create(server.ServerSchema, {
    id,
    hostname: `web-${String(id)}`,
    ipAddress: "192.0.2.7",
    node: "node-1",
    rdns: "7.2.0.192.hostledger.example",
    distro: "Debian 13",
    status: "active",
    planId: 3n,
    suspended: false,
    createdAt: "2026-11-21T01:30:00.000456Z",
    expiryDate: "2026-12-21T01:30:00.000456Z",
    terminatesAt: "2027-01-04T01:30:00.000456Z",
    ...changes,
  });
}

/** Digest of every fake firewall's rules. */
export const sampleDigest = "0123456789abcdef0123456789abcdef01234567";

/** Rule at position 0 of every fake firewall. */
export const sampleRule = {
  pos: 0,
  type: "in",
  action: "ACCEPT",
  proto: "tcp",
  dport: "443",
  sport: "",
  source: "198.51.100.0/24",
  dest: "",
  comment: "the web",
  enable: true,
} as const;

export const sampleOptions = {
  enable: true,
  policyIn: "DROP",
  policyOut: "ACCEPT",
  logLevelIn: "nolog",
  logLevelOut: "nolog",
  macfilter: true,
  dhcp: false,
  ndp: true,
  radv: false,
  ipfilter: false,
} as const;

/** A server service whose accounts each own the server with the account's number. */
export function fakeServerHandlers(): ServerHandlers {
  return {
    listServers: (_request, context) => ({ servers: [serverMessage(theirs(context))] }),
    getServer({ serverId }, context) {
      refuseUnlessOwner(context, serverId, "server");
      return { server: serverMessage(serverId) };
    },
    orderServer: ({ duration = 1 }) => ({
      serverId: 9n,
      invoiceId: 31n,
      duration,
      amountChargedCents: 999n,
      expiryDate: "2026-12-21T01:30:00.000456Z",
    }),
    renewServer({ serverId }, context) {
      refuseUnlessOwner(context, serverId, "server");
      const newExpiryDate = "2027-01-21T01:30:00.000456Z";
      return {
        invoiceId: 32n,
        amountChargedCents: 2_847n,
        newExpiryDate,
        server: serverMessage(serverId, { expiryDate: newExpiryDate }),
      };
    },
    toggleFirewall({ serverId, enable }, context) {
      refuseUnlessOwner(context, serverId, "server");
      return { enabled: enable };
    },
    getServerRevision({ serverId }, context) {
      refuseUnlessOwner(context, serverId, "server");
      return { revision: 4n };
    },
    getFirewall({ serverId }, context) {
      refuseUnlessOwner(context, serverId, "server");
      return { rules: [sampleRule], options: sampleOptions, digest: sampleDigest };
    },
    addFirewallRule({ serverId, enable = true, type, action }, context) {
      refuseUnlessOwner(context, serverId, "server");
      return { rule: { pos: 1, type, action, enable } };
    },
    removeFirewallRule({ serverId }, context) {
      refuseUnlessOwner(context, serverId, "server");
      return {};
    },
    cancelServer({ serverId, now }, context) {
      refuseUnlessOwner(context, serverId, "server");
      return { server: serverMessage(serverId, now ? { status: "terminating" } : { cancelled: true }) };
    },
    updateServerSettings({ serverId, autoRenew }, context) {
      refuseUnlessOwner(context, serverId, "server");
      return { server: serverMessage(serverId, { autoRenew }) };
    },
    updateHostname({ serverId, hostname }, context) {
      refuseUnlessOwner(context, serverId, "server");
      return defined({ hostname });
    },
  };
}

export const samplePlan = {
  id: 3n,
  title: "Small",
  cores: 2,
  memoryGb: 4,
  storageGb: 80,
  priceCents: 999n,
} as const;

export const sampleRegion = { id: 5n, code: "fra", location: "Frankfurt" } as const;

/** A catalogue of one plan in one region. */
export function fakeCatalogueHandlers(): CatalogueHandlers {
  return {
    listPlans: () => ({ plans: [samplePlan] }),
    listRegions: () => ({ regions: [sampleRegion] }),
    listDistros: () => ({
      distros: [
        { id: 1n, name: "Debian", version: "12" },
        { id: 2n, name: "Debian", version: "13" },
      ],
    }),
    listStock: () => ({ entries: [{ plan: samplePlan, region: sampleRegion, units: 4 }] }),
  };
}
