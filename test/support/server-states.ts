import { eventually } from "@hostledger/runtime/testing";
import { realTiming } from "@hostledger/runtime";

import { itemsOf, objectOf } from "./matchers.ts";
import type { RestAnswer } from "./rest-client.ts";
import type { Customer } from "./staff-client.ts";
import { hasStatus, isGone, type Operation, type Scene, type State, type Subject } from "./states.ts";

/** The states of a server, how each comes about, and the operations that can be asked for in it. */

const ofServer = ({ id }: Subject): string => `/servers/${String(id)}`;

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

/** The states of a server, in the order of a life. */
export const serverStates: readonly State[] = [
  {
    name: "provisioning",
    afterDays: 0,
    async make({ client, heldPlanId, regionId }) {
      const order = { plan_id: heldPlanId, region_id: regionId, distro_id: 1 };
      const before = new Set(await orderedIds(client, heldPlanId));
      // The order is answered when the server exists.
      void client.post("/order", order).catch(() => undefined);
      const id = await eventually(realTiming, async () => {
        const added = (await orderedIds(client, heldPlanId)).find((one) => !before.has(one));
        if (added === undefined) throw new Error("the server is not listed yet");
        return added;
      });
      return { id, name: "", record: 0 };
    },
    isReached: hasStatus(ofServer, "provisioning"),
  },
  {
    name: "active",
    afterDays: 0,
    make: (scene) => provision(scene, 12),
    isReached: hasStatus(ofServer, "active"),
  },
  {
    name: "active, ends with its term",
    afterDays: 0,
    async make(scene) {
      const subject = await provision(scene, 12);
      await scene.client.post(`${ofServer(subject)}/cancel`, { at: "end_of_term" });
      return subject;
    },
    isReached: hasStatus(ofServer, "active"),
  },
  {
    name: "suspended by staff",
    afterDays: 0,
    async make(scene) {
      const subject = await provision(scene, 12);
      await scene.staff.servers.setServerSuspension({ serverId: BigInt(subject.id), suspended: true });
      return subject;
    },
    isReached: hasStatus(ofServer, "suspended"),
  },
  {
    name: "held by staff",
    afterDays: 0,
    async make(scene) {
      const subject = await provision(scene, 12);
      const hold = { serverId: BigInt(subject.id), suspended: true, reason: "Sends unwanted mail" };
      await scene.staff.servers.setServerSuspension(hold);
      return subject;
    },
    isReached: hasStatus(ofServer, "suspended"),
  },
  {
    name: "suspended at expiry",
    afterDays: 370,
    make: (scene) => provision(scene, 12),
    isReached: hasStatus(ofServer, "suspended"),
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

/** Operations on a server. */
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
