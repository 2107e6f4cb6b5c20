import { itemsOf, objectOf } from "./matchers.ts";
import type { RestAnswer } from "./rest-client.ts";
import { registerName } from "./shop.ts";
import type { Customer } from "./staff-client.ts";
import { hasStatus, isGone, type Operation, type Scene, type State, type Subject } from "./states.ts";

/** The states of a domain, how each comes about, and the operations that can be asked for in it. */

const own = ["ns1.customer.test", "ns2.customer.test"];
const ofDomain = ({ id }: Subject): string => `/domains/${String(id)}`;

async function register({ client }: Scene, name: string): Promise<Subject> {
  const id = await registerName(client, name);
  const records = itemsOf(objectOf((await client.get(`/domains/${String(id)}`)).body).dns_records);
  return { id, name, record: Number(records[1]?.id ?? 0) };
}

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
    isReached: hasStatus(ofDomain, "transferring"),
  },
  {
    name: "active",
    afterDays: 0,
    make: (scene, cell) => register(scene, `active-${cell}.com`),
    isReached: hasStatus(ofDomain, "active"),
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
    isReached: hasStatus(ofDomain, "active"),
  },
  {
    name: "active, ends with its term",
    afterDays: 0,
    async make(scene, cell) {
      const subject = await register(scene, `ends-${cell}.com`);
      await scene.client.delete(ofDomain(subject));
      return subject;
    },
    isReached: hasStatus(ofDomain, "active"),
  },
  {
    name: "suspended",
    afterDays: 0,
    async make(scene, cell) {
      const subject = await register(scene, `suspended-${cell}.com`);
      await scene.staff.domains.setDomainSuspension({ domainId: BigInt(subject.id), suspended: true });
      return subject;
    },
    isReached: hasStatus(ofDomain, "suspended"),
  },
  {
    name: "expired, in grace",
    afterDays: 370,
    make: (scene, cell) => register(scene, `grace-${cell}.com`),
    isReached: hasStatus(ofDomain, "expired"),
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

/** Operations on a domain, and on its name. */
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
