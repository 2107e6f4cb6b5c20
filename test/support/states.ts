import { renderOpenApiDocument } from "@hostledger/gateway";
import type { PartDecorators } from "@hostledger/host";
import type { StaffClient } from "@hostledger/rpc";
import { eventually } from "@hostledger/runtime/testing";
import { realTiming } from "@hostledger/runtime";

import { itemsOf, objectOf } from "./matchers.ts";
import type { RestAnswer } from "./rest-client.ts";
import { registerName, type Shop } from "./shop.ts";
import type { Customer } from "./staff-client.ts";

/** The states of domains and servers, how each comes about, and the operations that can be asked for in it. */

/** A domain or a server. */
export interface Subject {
  readonly id: number;
  /** A domain's name; empty for a server. */
  readonly name: string;
  /** A record of the domain's zone; 0 where there is none. */
  readonly record: number;
}

/** What a state is made with. */
export interface Scene {
  readonly client: Customer;
  readonly staff: StaffClient;
  readonly planId: number;
  readonly regionId: number;
  /** A plan whose servers are not set up before `Held` lets them. */
  readonly heldPlanId: number;
}

/** A state, named as a heading. */
export interface State {
  readonly name: string;
  /** How many days after the subject was made it is in the state. */
  readonly afterDays: number;
  make(scene: Scene, cell: string): Promise<Subject>;
  isReached(client: Customer, staff: StaffClient, subject: Subject): Promise<boolean>;
}

/** An operation, named as a heading. */
export interface Operation {
  readonly name: string;
  readonly operationId: string;
  ask(client: Customer, subject: Subject): Promise<RestAnswer>;
}

/** Keeps orders of one plan waiting at the compute provider, so that they stay under way. */
export class Held {
  readonly #released = Promise.withResolvers<undefined>();
  readonly #planTitle = "Not set up yet";

  readonly decorate: PartDecorators = {
    compute: (provider) => ({
      provision: async (order) => {
        if (order.plan.title === this.#planTitle) await this.#released.promise;
        return provider.provision(order);
      },
      destroy: (name) => provider.destroy(name),
      inquire: (name) => provider.inquire(name),
      suspend: (name) => provider.suspend(name),
      resume: (name) => provider.resume(name),
      replaceFirewall: (name, firewall) => provider.replaceFirewall(name, firewall),
      readFirewall: (name) => provider.readFirewall(name),
    }),
  };

  /** Puts the plan on sale whose servers wait. */
  async offer(staff: StaffClient, { planId, regionId }: Pick<Shop, "planId" | "regionId">) {
    const { planId: heldPlanId } = await staff.servers.addPlan({
      title: this.#planTitle,
      cores: 1,
      memoryGb: 1,
      storageGb: 10,
      priceCents: 999n,
    });
    await staff.servers.setStock({ planId: heldPlanId, regionId: BigInt(regionId), units: 1_000 });
    return { planId, regionId, heldPlanId: Number(heldPlanId) };
  }

  release(): void {
    this.#released.resolve(undefined);
  }
}

const own = ["ns1.customer.test", "ns2.customer.test"];
const ofDomain = ({ id }: Subject): string => `/domains/${String(id)}`;
const ofServer = ({ id }: Subject): string => `/servers/${String(id)}`;

async function register({ client }: Scene, name: string): Promise<Subject> {
  const id = await registerName(client, name);
  const records = itemsOf(objectOf((await client.get(`/domains/${String(id)}`)).body).dns_records);
  return { id, name, record: Number(records[1]?.id ?? 0) };
}

const stands =
  (wanted: string) =>
  async (client: Customer, _staff: StaffClient, subject: Subject): Promise<boolean> =>
    objectOf((await client.get(ofDomain(subject))).body).status === wanted;

const isGone =
  (pathOf: (subject: Subject) => string) =>
  async (client: Customer, _staff: StaffClient, subject: Subject): Promise<boolean> =>
    (await client.get(pathOf(subject))).status === 404;

/** The states of a domain, in the order of a life. */
export const domainStates: readonly State[] = [
  {
    name: "transferring",
    afterDays: 0,
    async make({ client }, cell) {
      const name = `elsewhere-slow-${cell}.com`;
      const { body } = await client.post("/domains/transfer", { domain: name, auth_code: "let-me-go" });
      return { id: Number(objectOf(objectOf(body).domain).id), name, record: 0 };
    },
    isReached: stands("transferring"),
  },
  {
    name: "active",
    afterDays: 0,
    make: (scene, cell) => register(scene, `active-${cell}.com`),
    isReached: stands("active"),
  },
  {
    name: "active, own nameservers",
    afterDays: 0,
    async make(scene, cell) {
      const subject = await register(scene, `own-${cell}.com`);
      const delegation = { use_rdp_nameservers: false, nameservers: own };
      await scene.client.put(`${ofDomain(subject)}/nameservers`, delegation);
      return subject;
    },
    isReached: stands("active"),
  },
  {
    name: "active, ends with its term",
    afterDays: 0,
    async make(scene, cell) {
      const subject = await register(scene, `ends-${cell}.com`);
      await scene.client.delete(ofDomain(subject));
      return subject;
    },
    isReached: stands("active"),
  },
  {
    name: "suspended",
    afterDays: 0,
    async make(scene, cell) {
      const subject = await register(scene, `suspended-${cell}.com`);
      await scene.staff.domains.setDomainSuspension({ domainId: BigInt(subject.id), suspended: true });
      return subject;
    },
    isReached: stands("suspended"),
  },
  {
    name: "expired, in grace",
    afterDays: 370,
    make: (scene, cell) => register(scene, `grace-${cell}.com`),
    isReached: stands("expired"),
  },
  {
    name: "expired, withheld",
    afterDays: 415,
    make: (scene, cell) => register(scene, `withheld-${cell}.com`),
    async isReached(_client, staff, { name }) {
      const { registrar } = await staff.domains.showSandbox({});
      return !registrar.some((held) => held.name === name);
    },
  },
  {
    name: "deleted",
    afterDays: 450,
    make: (scene, cell) => register(scene, `deleted-${cell}.com`),
    isReached: isGone(ofDomain),
  },
];

const address = "192.0.2.9";
const set = "/dns/rrsets/www/A";

/** What can be asked of a domain, and for its name. */
export const domainOperations: readonly Operation[] = [
  onDomain("GET /domains/{domain}", "getDomain", (client, path) => client.get(path)),
  onDomain("PUT …/nameservers, own", "updateNameservers", (client, path) =>
    client.put(`${path}/nameservers`, { use_rdp_nameservers: false, nameservers: own }),
  ),
  onDomain("PUT …/nameservers, ours", "updateNameservers", (client, path) =>
    client.put(`${path}/nameservers`, { use_rdp_nameservers: true }),
  ),
  onDomain("PUT …/settings, auto_renew: true", "updateDomainSettings", (client, path) =>
    client.put(`${path}/settings`, { auto_renew: true }),
  ),
  onDomain("PUT …/settings, lock_status: false", "updateDomainSettings", (client, path) =>
    client.put(`${path}/settings`, { lock_status: false }),
  ),
  onDomain("POST …/renew", "renewDomain", (client, path) => client.post(`${path}/renew`, { years: 1 })),
  onDomain("POST …/restore", "restoreDomain", (client, path) => client.post(`${path}/restore`, {})),
  onDomain("DELETE /domains/{domain}", "cancelDomain", (client, path) => client.delete(path)),
  onDomain("GET …/auth-code", "getAuthCode", (client, path) => client.get(`${path}/auth-code`)),
  onDomain("POST …/dns", "addDnsRecord", (client, path) =>
    client.post(`${path}/dns`, { type: "TXT", name: "probe", value: "here" }),
  ),
  onDomain("PUT …/dns/{record}", "updateDnsRecord", (client, path, { record }) =>
    client.put(`${path}/dns/${String(record || 1)}`, { type: "A", name: "www", value: address }),
  ),
  onDomain("DELETE …/dns/{record}", "deleteDnsRecord", (client, path, { record }) =>
    client.delete(`${path}/dns/${String(record || 1)}`),
  ),
  onDomain("GET …/dns/rrsets/{name}/{type}", "getRecordSet", (client, path) => client.get(path + set)),
  onDomain("PUT …/dns/rrsets/{name}/{type}", "replaceRecordSet", (client, path) =>
    client.put(path + set, { records: [{ value: address }] }),
  ),
  onDomain("DELETE …/dns/rrsets/{name}/{type}", "deleteRecordSet", (client, path) =>
    client.delete(path + set),
  ),
  {
    name: "POST /domains, its name",
    operationId: "registerDomain",
    ask: (client, { name }) => client.post("/domains", { domain: name }),
  },
  {
    name: "POST /domains/transfer, its name",
    operationId: "transferDomain",
    ask: (client, { name }) => client.post("/domains/transfer", { domain: name, auth_code: "let-me-go" }),
  },
];

function onDomain(
  name: string,
  operationId: string,
  ask: (client: Customer, path: string, subject: Subject) => Promise<RestAnswer>,
): Operation {
  return { name, operationId, ask: (client, subject) => ask(client, ofDomain(subject), subject) };
}

async function provision({ client, staff, planId, regionId }: Scene, months: number): Promise<Subject> {
  const { serverId } = await staff.servers.provisionServer({
    accountId: BigInt(client.accountId),
    planId: BigInt(planId),
    regionId: BigInt(regionId),
    months,
    whitelisted: true,
  });
  const id = Number(serverId);
  // A rule of the customer's own, which may be deleted again.
  await client.post(`/servers/${String(id)}/firewall`, webRule);
  return { id, name: "", record: 0 };
}

const webRule = { action: "ACCEPT", type: "in", proto: "tcp", dport: "8080", comment: "web" };

const serverStands =
  (wanted: string) =>
  async (client: Customer, _staff: StaffClient, subject: Subject): Promise<boolean> =>
    objectOf((await client.get(ofServer(subject))).body).status === wanted;

/** The states of a server, in the order of a life. */
export const serverStates: readonly State[] = [
  {
    name: "provisioning",
    afterDays: 0,
    async make({ client, heldPlanId, regionId }) {
      const order = { plan_id: heldPlanId, region_id: regionId, distro_id: 1 };
      const before = new Set(await orderedIds(client, heldPlanId));
      // It is answered when the server is there.
      void client.post("/order", order).catch(() => undefined);
      const id = await eventually(realTiming, async () => {
        const added = (await orderedIds(client, heldPlanId)).find((one) => !before.has(one));
        if (added === undefined) throw new Error("the server is not listed yet");
        return added;
      });
      return { id, name: "", record: 0 };
    },
    isReached: serverStands("provisioning"),
  },
  {
    name: "active",
    afterDays: 0,
    make: (scene) => provision(scene, 12),
    isReached: serverStands("active"),
  },
  {
    name: "active, ends with its term",
    afterDays: 0,
    async make(scene) {
      const subject = await provision(scene, 12);
      await scene.client.post(`${ofServer(subject)}/cancel`, { at: "end_of_term" });
      return subject;
    },
    isReached: serverStands("active"),
  },
  {
    name: "suspended by staff",
    afterDays: 0,
    async make(scene) {
      const subject = await provision(scene, 12);
      await scene.staff.servers.setServerSuspension({ serverId: BigInt(subject.id), suspended: true });
      return subject;
    },
    isReached: serverStands("suspended"),
  },
  {
    name: "suspended at expiry",
    afterDays: 370,
    make: (scene) => provision(scene, 12),
    isReached: serverStands("suspended"),
  },
  {
    name: "terminated",
    // Suspended by the instance that first sees that it has expired, on day 370; ended two weeks after that.
    afterDays: 415,
    make: (scene) => provision(scene, 1),
    isReached: isGone(ofServer),
  },
];

async function orderedIds(client: Customer, planId: number): Promise<readonly number[]> {
  const servers = itemsOf((await client.get("/servers")).body);
  return servers.filter((server) => server.plan_id === planId).map(({ id }) => Number(id));
}

/** What can be asked of a server. */
export const serverOperations: readonly Operation[] = [
  onServer("GET /servers/{server}", "getServer", (client, path) => client.get(path)),
  onServer("POST …/renew", "renewServer", (client, path) => client.post(`${path}/renew`, { duration: 1 })),
  onServer("POST …/cancel, end_of_term", "cancelServer", (client, path) =>
    client.post(`${path}/cancel`, { at: "end_of_term" }),
  ),
  onServer("POST …/cancel, now", "cancelServer", (client, path) =>
    client.post(`${path}/cancel`, { at: "now" }),
  ),
  onServer("PUT …/settings, auto_renew: true", "updateServerSettings", (client, path) =>
    client.put(`${path}/settings`, { auto_renew: true }),
  ),
  onServer("PUT …/hostname", "updateHostname", (client, path) =>
    client.put(`${path}/hostname`, { hostname: "host.example.com" }),
  ),
  onServer("POST …/firewall/toggle", "toggleFirewall", (client, path) =>
    client.post(`${path}/firewall/toggle`, { enable: false }),
  ),
  onServer("GET …/firewall", "getFirewall", (client, path) => client.get(`${path}/firewall`)),
  onServer("POST …/firewall", "addFirewallRule", (client, path) =>
    client.post(`${path}/firewall`, { ...webRule, dport: "8443" }),
  ),
  onServer("DELETE …/firewall/{pos}", "deleteFirewallRule", async (client, path) => {
    const { body } = await client.get(`${path}/firewall`);
    const rules = Array.isArray(objectOf(body).rules) ? itemsOf(objectOf(body).rules) : [];
    const web = rules.find(({ comment }) => comment === webRule.comment);
    return client.delete(`${path}/firewall/${String(Number(web?.pos ?? 0))}`);
  }),
];

function onServer(
  name: string,
  operationId: string,
  ask: (client: Customer, path: string) => Promise<RestAnswer>,
): Operation {
  return { name, operationId, ask: (client, subject) => ask(client, ofServer(subject)) };
}

/** Those of the OpenAPI document that are about one domain or server, and those that are about a name. */
export function operationsOfDocument(): readonly string[] {
  const paths = Object.entries<unknown>(objectOf(objectOf(JSON.parse(renderOpenApiDocument())).paths));
  const about = paths.filter(
    ([path]) => /^\/(domains\/\{|servers\/\{)/.test(path) || path === "/domains/transfer",
  );
  const ids = about.flatMap(([, methods]) =>
    Object.values<unknown>(objectOf(methods)).map((operation) => String(objectOf(operation).operationId)),
  );
  return [...new Set([...ids, "registerDomain"])].toSorted();
}
