import { join } from "node:path";

import { PowerdnsDns, type Zone } from "@hostledger/providers";
import {
  labelledNode,
  openLabelledPowerdns,
  startFakeProxmox,
  startPowerdns,
  type FakeCluster,
  type FakeProxmox,
} from "@hostledger/providers/testing";
import type { StaffClient } from "@hostledger/rpc";
import { z } from "zod";

import { clusterSettings } from "./cluster-settings.ts";

/** The providers that an instance of a test works with. */
export interface TestProviders {
  /** Settings of the providers for the instance. */
  readonly environment: Readonly<Record<string, string>>;
  /** Wraps the staff's client, so that it shows the resources at these providers. */
  staff(client: StaffClient): StaffClient;
  close(): Promise<void>;
}

/**
 * Regions of the fake cluster: those of tests and demo, and one for each order label of the sandbox, on a node with
 * that label in its name.
 */
const network = { prefix: 16, gateway: "10.0.255.1" };
const regions = {
  fra: { ...network, addresses: ["10.0.0.1-10.0.3.255"] },
  ams: { ...network, nodes: ["pve1"], firstVmid: 200_000, addresses: ["10.0.4.1-10.0.4.255"] },
  "fra-refused": { ...network, nodes: ["pve-refused"], firstVmid: 201_000, addresses: ["10.0.5.1"] },
  "fra-offline": { ...network, nodes: ["pve-offline"], firstVmid: 202_000, addresses: ["10.0.6.1"] },
  "fra-timeout": { ...network, nodes: ["pve-timeout"], firstVmid: 203_000, addresses: ["10.0.7.1"] },
  "fra-lost": { ...network, nodes: ["pve-lost"], firstVmid: 204_000, addresses: ["10.0.8.1"] },
};

interface PowerdnsAccess {
  readonly url: URL;
  readonly apiKey: string;
}

const zoneNames = z.array(z.object({ name: z.string(), account: z.string() }));

/** Clusters by the data directory of their instances: the next one on it finds the machines of the last. */
const clusters = new Map<string, FakeCluster>();

/** Starts a PowerDNS with zones in the data directory, and a fake cluster, for one instance. */
export async function openOutsideProviders(data: string): Promise<TestProviders> {
  const [server, fake] = await Promise.all([
    startPowerdns(join(data, "powerdns.sqlite")),
    startFakeProxmox(clusters.get(data)),
  ]);
  const way = await openLabelledPowerdns(server.url);
  clusters.set(data, fake.cluster);
  for (const node of Object.values(regions).flatMap((region) => ("nodes" in region ? region.nodes : [])))
    fake.cluster.nodes.set(node, labelledNode(node));
  // Tasks end when they are first asked about: where the clock is the machine's, pauses would be waited for.
  fake.cluster.taskRequests = 1;
  const dns = new PowerdnsDns({
    url: server.url,
    apiKey: server.apiKey,
    server: "localhost",
    zoneKind: "native",
    account: "hostledger",
    nameservers: [],
    isSigned: false,
    timeLimitMs: 60_000,
  });
  return {
    environment: {
      HOSTLEDGER_DNS: "powerdns",
      HOSTLEDGER_POWERDNS_URL: way.url.origin,
      HOSTLEDGER_POWERDNS_API_KEY: server.apiKey,
      ...clusterSettings(fake, data, regions),
    },
    staff: ({ domains, ...others }) => ({
      ...others,
      domains: {
        ...domains,
        showSandbox: async (...asked) => ({
          ...(await domains.showSandbox(...asked)),
          dns: (await zonesAt(dns, server)).map(shownZone),
          compute: shownServers(fake),
        }),
      },
    }),
    async close() {
      await way.close();
      await server.remove();
      await fake[Symbol.asyncDispose]();
      if (fake.undocumented.length > 0) throw new Error(fake.undocumented.join(", "));
    },
  };
}

/** Returns the zones of every installation at the server; their accounts differ by the random part. */
async function zonesAt(dns: PowerdnsDns, { url, apiKey }: PowerdnsAccess): Promise<readonly Zone[]> {
  const answered = await fetch(new URL("/api/v1/servers/localhost/zones?dnssec=false", url), {
    headers: { "x-api-key": apiKey },
  });
  const listed = zoneNames.parse(await answered.json());
  const zones: Zone[] = [];
  for (const { name } of listed.filter(({ account }) => account.startsWith("hostledger"))) {
    const answer = await dns.inquireZone(name.replace(/\.$/, "").toLowerCase());
    if (answer.outcome !== "done") throw new Error(answer.message);
    if (answer.value.held) zones.push(answer.value.zone);
  }
  return zones;
}

function shownZone({ name, records }: Zone) {
  return {
    $typeName: "hosting.admin.v1.SandboxZone" as const,
    name,
    records: records
      .toSorted((one, other) => (`${one.name} ${one.type}` < `${other.name} ${other.type}` ? -1 : 1))
      .map(({ ttlSeconds: ttl, ...record }) => ({
        ...record,
        ttl,
        $typeName: "hosting.admin.v1.SandboxRecord" as const,
      })),
  };
}

function shownServers({ cluster }: FakeProxmox) {
  return cluster.clones.map(({ config, node, status, options, rules }) => ({
    $typeName: "hosting.admin.v1.SandboxServer" as const,
    name: String(config.name),
    node,
    ipAddress: /ip=([\d.]+)/.exec(String(config.ipconfig0))?.[1] ?? "",
    running: status === "running",
    firewallEnabled: options.enable === 1,
    firewallRules: rules.length,
  }));
}
