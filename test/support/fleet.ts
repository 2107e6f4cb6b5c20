import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

import { makeServiceKeys } from "@hostledger/host";
import { createStaffClient, type StaffClient } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { freePort, temporaryDirectory } from "@hostledger/runtime/testing";
import { startPostgresServer } from "@hostledger/runtime/testing/postgres";

import { startBalancer } from "./fleet-balancer.ts";
import { fleetMember, type Member } from "./fleet-member.ts";

/**
 * Forms of a deployment: services in separate processes behind gateways, or whole instances side by side. In both,
 * one process keeps the audit log.
 */
export const fleetForms = ["services apart", "replicas"] as const;
export type FleetForm = (typeof fleetForms)[number];

/** The processes of a deployment, through the command line, with a PostgreSQL and a load balancer beside them. */
export interface Fleet {
  /** The REST API behind the balancer. */
  readonly baseUrl: string;
  /** The REST API of one gateway, past the balancer. */
  baseUrlOf(gateway: Member): string;
  /** Staff, through the first gateway, or replica. */
  readonly staff: StaffClient;
  readonly node: Member;
  /** Two processes with the domain service. */
  readonly domains: readonly [Member, Member];
  /** Two processes with the REST API; all that have it are behind the balancer. */
  readonly gateways: readonly [Member, Member];
  /** Processes that serve customers: all except the node and the audit. */
  readonly serving: readonly Member[];
  /** Address for auditors, for example `http://127.0.0.1:8080/audit`. */
  readonly auditUrl: string;
  /** All of them, in the order in which one needs the other. */
  readonly members: readonly Member[];
  /** The node's directory, with the log and the simulated providers. */
  readonly data: string;
  /** Waits until every process says that it is ready. */
  ready(): Promise<void>;
  /** Stops everything and removes the data. */
  close(): Promise<void>;
}

/** Changes to the defaults. */
export interface FleetOptions {
  /** Default: services apart. */
  readonly form?: FleetForm;
  /** See `MemberOptions`. */
  readonly program?: string;
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
export async function startFleet({
  form = "services apart",
  program,
  environment = {},
}: FleetOptions = {}): Promise<Fleet> {
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
    const place = await describePlace(data, postgres.url, environment, program);
    const describe = form === "replicas" ? describeReplicas : describeServices;
    const { serving, domains, gateways, adminPort } = await describe(place);
    const { node, audit, auditUrl } = place;
    const members = [node, audit, ...serving];
    // Whatever a test left frozen, SIGKILL ends; the data goes anyway.
    for (const member of members) closers.push(() => member.kill());
    await Promise.all(members.map((member) => member.start()));
    const ready = async (): Promise<void> => {
      await Promise.all(members.filter((member) => member !== node).map((member) => member.ready()));
    };
    await ready();
    const rest = form === "replicas" ? serving : gateways;
    const balancer = await startBalancer(rest.map(({ port }) => port));
    closers.push(() => balancer.close());
    return {
      baseUrl: `http://127.0.0.1:${String(balancer.port)}/api/v1`,
      baseUrlOf: ({ url }) => `${url}/api/v1`,
      staff: createStaffClient({ baseUrl: `http://127.0.0.1:${String(adminPort)}`, credential: adminToken }),
      node,
      domains,
      gateways,
      serving,
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

/** Common parts of both forms: the node, the audit, and the settings of all other processes. */
interface Place {
  readonly node: Member;
  readonly audit: Member;
  readonly auditUrl: string;
  /** Of processes that serve customers, but for the addresses of others. */
  readonly shared: Readonly<Record<string, string>>;
  readonly data: string;
  /** Describes a process of the program that this fleet runs. */
  readonly member: typeof fleetMember;
  /** The key that a part signs with, the public ones of all, and nobody else's. */
  keyOf(part: string): Readonly<Record<string, string>>;
}

/** Processes that serve customers. */
type Serving = Pick<Fleet, "serving" | "domains" | "gateways"> & { readonly adminPort: number };

async function describePlace(
  data: string,
  databaseUrl: string,
  environment: Readonly<Record<string, string>>,
  program: string | undefined,
): Promise<Place> {
  const member: Place["member"] = (options) => fleetMember({ ...options, ...defined({ program }) });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const keys = join(dirname(data), "keys");
  const { publicKeys } = makeServiceKeys(keys);
  const [nodePort, auditPort, auditorsPort] = [await freePort(), await freePort(), await freePort()];
  const keyOf = (part: string) => ({
    HOSTLEDGER_SERVICE_KEY_FILE: join(keys, `${part}.key`),
    HOSTLEDGER_SERVICE_JWKS_FILE: publicKeys,
  });
  const shared = {
    ...common,
    HOSTLEDGER_EVENT_STORE: `esdb://127.0.0.1:${String(nodePort)}?tls=false`,
    HOSTLEDGER_DATABASE: databaseUrl,
    HOSTLEDGER_AUDIT_URL: rpcUrl(auditPort),
    ...environment,
  };
  const node = member({
    name: "node",
    line: ["node", "--data", data, "--port", String(nodePort)],
    // In clear text no credential travels; the node listens on this machine alone.
    environment: { ...common, HOSTLEDGER_ESDB_WRITERS: "anyone", ...environment },
    port: nodePort,
  });
  const audit = member({
    name: "audit",
    line: ["service", "audit", "--data", data, "--port", String(auditorsPort)],
    environment: {
      ...shared,
      ...keyOf("audit"),
      HOSTLEDGER_ADMIN_TOKEN: adminToken,
      HOSTLEDGER_RPC_PORT: String(auditPort),
    },
    port: auditPort,
  });
  return { node, audit, auditUrl: `${rpcUrl(auditorsPort)}/audit`, shared, data, member, keyOf };
}

async function describeServices({ shared, data, member, keyOf }: Place): Promise<Serving> {
  const [accountPort, first, second] = [await freePort(), await freePort(), await freePort()];
  const [serverPort, supportPort] = [await freePort(), await freePort()];
  const [api1, api2, adminPort] = [await freePort(), await freePort(), await freePort()];
  const addresses = {
    HOSTLEDGER_ACCOUNT_URL: rpcUrl(accountPort),
    HOSTLEDGER_DOMAIN_URL: `${rpcUrl(first)},${rpcUrl(second)}`,
    HOSTLEDGER_SERVER_URL: rpcUrl(serverPort),
    HOSTLEDGER_SUPPORT_URL: rpcUrl(supportPort),
  };
  const part = (name: string, which: string, port: number, more: readonly string[] = []): Member =>
    member({
      name,
      line: ["service", which, "--data", data, "--port", String(port), ...more],
      // A gateway passes staff on, and is given no credential of theirs.
      environment: {
        ...shared,
        ...addresses,
        ...keyOf(which),
        ...(which === "gateway" ? {} : { HOSTLEDGER_ADMIN_TOKEN: adminToken }),
      },
      port,
    });
  const domains = [part("domain-1", "domain", first), part("domain-2", "domain", second)] as const;
  const gateways = [
    part("gateway-1", "gateway", api1, ["--admin-port", String(adminPort)]),
    part("gateway-2", "gateway", api2, ["--admin-port", "0"]),
  ] as const;
  const others = [part("server", "server", serverPort), part("support", "support", supportPort)];
  const serving = [part("account", "account", accountPort), ...domains, ...others, ...gateways];
  return { serving, domains, gateways, adminPort };
}

/** Three whole instances: the REST API of each calls the services of its own process. */
async function describeReplicas({ shared, data, member }: Place): Promise<Serving> {
  const adminPort = await freePort();
  const replica = async (name: string, staffPort: number): Promise<Member> => {
    const port = await freePort();
    const own = join(dirname(data), name);
    return member({
      name,
      line: ["start", "--data", own, "--port", String(port), "--admin-port", String(staffPort)],
      // The processes share only the store, the database and the providers.
      environment: {
        ...shared,
        HOSTLEDGER_ADMIN_TOKEN: adminToken,
        HOSTLEDGER_RPC_PORT: "0",
        HOSTLEDGER_SANDBOX_DATA: data,
      },
      port,
    });
  };
  const pair = [await replica("replica-1", adminPort), await replica("replica-2", 0)] as const;
  return { serving: [...pair, await replica("replica-3", 0)], domains: pair, gateways: pair, adminPort };
}

function rpcUrl(port: number): string {
  return `http://127.0.0.1:${String(port)}`;
}
