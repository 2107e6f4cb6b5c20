import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

import { makeServiceKeys } from "@hostledger/host";
import { startPostgresServer } from "@hostledger/projections/testing";

import { startBalancer } from "./fleet-balancer.ts";
import { fleetMember, freePort, type Member } from "./fleet-member.ts";
import { staffClient, type StaffClient } from "./staff-client.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

/** The nine processes of a deployment, through the command line, with a PostgreSQL and a load balancer beside them. */
export interface Fleet {
  /** The REST API behind the balancer. */
  readonly baseUrl: string;
  /** The REST API of one gateway, past the balancer. */
  baseUrlOf(gateway: Member): string;
  /** Staff, through the first gateway. */
  readonly staff: StaffClient;
  readonly node: Member;
  readonly services: {
    readonly account: Member;
    readonly domains: readonly [Member, Member];
    readonly server: Member;
    readonly support: Member;
    readonly audit: Member;
  };
  readonly gateways: readonly [Member, Member];
  /** Where auditors are served, for example `http://127.0.0.1:8080/audit`. */
  readonly auditUrl: string;
  /** All nine, in the order in which one needs the other. */
  readonly members: readonly Member[];
  /** The node's directory, with the log and the simulated providers. */
  readonly data: string;
  /** Waits until every process says that it is ready. */
  ready(): Promise<void>;
  /** Stops everything and removes the data. */
  close(): Promise<void>;
}

/** What differs from the defaults. */
export interface FleetOptions {
  /** `HOSTLEDGER_*` variables of all processes. */
  readonly environment?: Readonly<Record<string, string>>;
}

const adminToken = "fleet-admin-token-0123456789abcdef";
const common = {
  HOSTLEDGER_LOG_LEVEL: "error",
  HOSTLEDGER_RATE_LIMIT: "1000000",
  HOSTLEDGER_START_TIMEOUT_MS: "120000",
} as const;

/** Starts a fleet and waits until it serves. @throws Error a process ended, or did not become ready. */
export async function startFleet({ environment = {} }: FleetOptions = {}): Promise<Fleet> {
  const directory = temporaryDirectory();
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.toReversed()) await closer();
    directory.remove();
  };
  try {
    const postgres = await startPostgresServer();
    closers.push(() => postgres.stop());
    const data = join(directory.path, "data");
    const described = await describeMembers(data, postgres.url, environment);
    const { node, services, gateways, adminPort, auditUrl } = described;
    const members = [
      node,
      services.account,
      ...services.domains,
      services.server,
      services.support,
      services.audit,
      ...gateways,
    ];
    // Whatever a test left frozen, SIGKILL ends; the data goes anyway.
    for (const member of members) closers.push(() => member.kill());
    await Promise.all(members.map((member) => member.start()));
    const ready = async (): Promise<void> => {
      await Promise.all(members.filter((member) => member !== node).map((member) => member.ready()));
    };
    await ready();
    const balancer = await startBalancer(gateways.map(({ port }) => port));
    closers.push(() => balancer.close());
    return {
      baseUrl: `http://127.0.0.1:${String(balancer.port)}/api/v1`,
      baseUrlOf: ({ url }) => `${url}/api/v1`,
      staff: staffClient(`http://127.0.0.1:${String(adminPort)}`, adminToken),
      node,
      services,
      gateways,
      auditUrl,
      members,
      data,
      ready,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function describeMembers(
  data: string,
  databaseUrl: string,
  environment: Readonly<Record<string, string>>,
): Promise<Pick<Fleet, "node" | "services" | "gateways" | "auditUrl"> & { readonly adminPort: number }> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const keys = join(dirname(data), "keys");
  const { publicKeys } = makeServiceKeys(keys);
  const nodePort = await freePort();
  const [accountPort, first, second] = [await freePort(), await freePort(), await freePort()];
  const [serverPort, supportPort] = [await freePort(), await freePort()];
  const [auditPort, auditorsPort] = [await freePort(), await freePort()];
  const [api1, api2, adminPort] = [await freePort(), await freePort(), await freePort()];
  const node = fleetMember({
    name: "node",
    line: ["node", "--data", data, "--port", String(nodePort)],
    // In clear text no credential travels; the node listens on this machine alone.
    environment: { ...common, HOSTLEDGER_ESDB_WRITERS: "anyone", ...environment },
    port: nodePort,
  });
  const shared = {
    ...common,
    HOSTLEDGER_EVENT_STORE: `esdb://127.0.0.1:${String(nodePort)}?tls=false`,
    HOSTLEDGER_DATABASE: databaseUrl,
    HOSTLEDGER_ACCOUNT_URL: rpcUrl(accountPort),
    HOSTLEDGER_DOMAIN_URL: `${rpcUrl(first)},${rpcUrl(second)}`,
    HOSTLEDGER_SERVER_URL: rpcUrl(serverPort),
    HOSTLEDGER_SUPPORT_URL: rpcUrl(supportPort),
    HOSTLEDGER_AUDIT_URL: rpcUrl(auditPort),
    ...environment,
  };
  // Each part has the key that it signs with, the public ones of all, and nobody else's.
  const keyOf = (part: string) => ({
    HOSTLEDGER_SERVICE_KEY_FILE: join(keys, `${part}.key`),
    HOSTLEDGER_SERVICE_JWKS_FILE: publicKeys,
  });
  const part = (name: string, which: string, port: number, more: readonly string[] = []): Member =>
    fleetMember({
      name,
      line: ["service", which, "--data", data, "--port", String(port), ...more],
      // A gateway passes staff on, and is given no credential of theirs.
      environment: {
        ...shared,
        ...keyOf(which),
        ...(which === "gateway" ? {} : { HOSTLEDGER_ADMIN_TOKEN: adminToken }),
      },
      port,
    });
  return {
    node,
    services: {
      account: part("account", "account", accountPort),
      domains: [part("domain-1", "domain", first), part("domain-2", "domain", second)],
      server: part("server", "server", serverPort),
      support: part("support", "support", supportPort),
      audit: fleetMember({
        name: "audit",
        line: ["service", "audit", "--data", data, "--port", String(auditorsPort)],
        environment: {
          ...shared,
          ...keyOf("audit"),
          HOSTLEDGER_ADMIN_TOKEN: adminToken,
          HOSTLEDGER_RPC_PORT: String(auditPort),
        },
        port: auditPort,
      }),
    },
    auditUrl: `${rpcUrl(auditorsPort)}/audit`,
    gateways: [
      part("gateway-1", "gateway", api1, ["--admin-port", String(adminPort)]),
      part("gateway-2", "gateway", api2, ["--admin-port", "0"]),
    ],
    adminPort,
  };
}

function rpcUrl(port: number): string {
  return `http://127.0.0.1:${String(port)}`;
}
