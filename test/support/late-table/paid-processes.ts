import type { admin } from "@hostledger/protocol";

import { itemsOf, objectOf } from "../matchers.ts";
import type { RestClient } from "../rest-client.ts";
import { registerName, type Shop } from "../shop.ts";
import type { Customer } from "../staff-client.ts";
import {
  behaviours,
  cancellable,
  lasting,
  overConnections,
  type Behaviour,
  type Expectation,
} from "./expectations.ts";

/** Resources at the simulated providers, as `admin sandbox show` lists them. */
export type Holdings = Pick<admin.ShowSandboxResponse, "registrar" | "compute">;

/** An order's request and its subject. */
export interface RequestedPurchase {
  readonly path: string;
  readonly body: object;
  /** Name of the domain, code of the region or id of the server, by which lists are searched. */
  readonly subject: string;
  /** The expiry date before the order; null where there was nothing before. */
  readonly expiryDate: string | null;
}

/** A process that costs money, as a customer and the provider's own books see it. */
export interface PaidProcess {
  readonly name: string;
  readonly action: "purchase" | "renewal";
  /** Gross price in cents. */
  readonly priceCents: number;
  readonly expectations: Partial<Readonly<Record<Behaviour, Expectation>>>;
  /** The provider is asked whether the name can be had before it is ordered. */
  readonly asksFirst: boolean;
  /** True if the charge stands while the outcome is unknown. */
  readonly standsWhileOpen: boolean;
  /** Answer to a repeated order while the outcome is open. */
  readonly fencedBy: string;
  /** Prepares what the order requires. */
  prepare(shop: Shop, customer: Customer, behaviour: Behaviour): Promise<RequestedPurchase>;
  /** Returns whether the customer sees the ordered resource. */
  isShown(client: RestClient, requested: RequestedPurchase): Promise<boolean>;
  /** Returns whether the provider holds it. */
  isHeld(holdings: Holdings, requested: RequestedPurchase): boolean;
  /** Returns whether another customer could order the same now; absent if impossible. */
  isFree?(client: RestClient, requested: RequestedPurchase): Promise<boolean>;
}

const registration: PaidProcess = {
  name: "registration",
  action: "purchase",
  priceCents: 1_190,
  expectations: overConnections(cancellable({ done: 201, failed: "registrar_failed" })),
  asksFirst: true,
  standsWhileOpen: false,
  fencedBy: "409 registration_in_flight",
  prepare(_shop, _customer, behaviour) {
    const subject = `${behaviour}-registration.com`;
    return Promise.resolve({
      path: "/domains",
      body: { domain: subject, years: 1 },
      subject,
      expiryDate: null,
    });
  },
  isShown: async (client, { subject }) =>
    itemsOf((await client.get("/domains")).body).some(({ domain_name: name }) => name === subject),
  isHeld: ({ registrar }, { subject }) => registrar.some(({ name }) => name === subject),
  isFree: async (client, { subject }) =>
    objectOf((await client.get(`/domains/search?domain=${subject}`)).body).available === true,
};

/** An order of a server; the label is in the plan's title or in the region's code. */
function serverOrder(label: "plan" | "region"): PaidProcess {
  return {
    name: `server order, by the ${label}`,
    action: "purchase",
    priceCents: 999,
    expectations: cancellable({ done: 201, failed: "compute_failed" }),
    asksFirst: false,
    standsWhileOpen: false,
    fencedBy: "409 out_of_stock",
    async prepare({ instance }, customer, behaviour) {
      const { servers } = instance.staff;
      // The node's name begins with the region's code, by which the server is found at the provider.
      const subject = label === "plan" ? `fra${String(behaviours.indexOf(behaviour))}` : `ams-${behaviour}`;
      const { regionId } = await servers.addRegion({ code: subject, location: "A region for one order" });
      const { planId } = await servers.addPlan({
        title: label === "plan" ? `Small ${behaviour}` : "Small",
        cores: 1,
        memoryGb: 1,
        storageGb: 10,
        priceCents: 999n,
      });
      await servers.setStock({ planId, regionId, units: 1 });
      const distroId = itemsOf((await customer.get("/distros")).body)[0]?.id;
      const body = { plan_id: Number(planId), region_id: Number(regionId), distro_id: distroId };
      return { path: "/order", body, subject, expiryDate: null };
    },
    isShown: async (client) =>
      itemsOf((await client.get("/servers")).body).some(({ status }) => status === "active"),
    isHeld: ({ compute }, { subject }) => compute.some(({ node }) => node.startsWith(`${subject}-`)),
    async isFree(client, { subject }) {
      const entries = itemsOf((await client.get("/stock")).body);
      const entry = entries.find(({ region }) => objectOf(region).region === subject);
      return objectOf(entry?.stock).available === true;
    },
  };
}

const domainRenewal: PaidProcess = {
  name: "domain renewal",
  action: "renewal",
  priceCents: 1_428,
  expectations: overConnections(lasting({ done: 200, failed: "registrar_failed" })),
  asksFirst: false,
  standsWhileOpen: true,
  fencedBy: "409 renewal_in_flight",
  async prepare(_shop, customer, behaviour) {
    const subject = `${behaviour}-renewal.com`;
    const id = await registerName(customer, subject);
    const { expiry_date: expiryDate } = objectOf((await customer.get(`/domains/${String(id)}`)).body);
    return {
      path: `/domains/${String(id)}/renew`,
      body: { years: 1 },
      subject,
      expiryDate: String(expiryDate),
    };
  },
  async isShown(client, { subject, expiryDate }) {
    const domain = itemsOf((await client.get("/domains")).body).find(
      ({ domain_name: name }) => name === subject,
    );
    return isYearLater(String(domain?.expiry_date), expiryDate);
  },
  isHeld: ({ registrar }, { subject, expiryDate }) =>
    isYearLater(registrar.find(({ name }) => name === subject)?.expiresAt, expiryDate),
};

/** The process calls no provider, so its one row is `plain`. */
const serverRenewal: PaidProcess = {
  name: "server renewal",
  action: "renewal",
  priceCents: 999,
  expectations: { plain: { answer: "200", isDelivered: true, isOpen: false } },
  asksFirst: false,
  standsWhileOpen: true,
  fencedBy: "409 renewal_in_flight",
  async prepare({ provision }, customer) {
    const id = await provision({ of: customer });
    const { expiry_date: expiryDate } = objectOf((await customer.get(`/servers/${String(id)}`)).body);
    return {
      path: `/servers/${String(id)}/renew`,
      body: { duration: 1 },
      subject: String(id),
      expiryDate: String(expiryDate),
    };
  },
  async isShown(client, { subject, expiryDate }) {
    const { expiry_date: now } = objectOf((await client.get(`/servers/${subject}`)).body);
    return String(now) > String(expiryDate);
  },
  isHeld: ({ compute }, { subject }) =>
    compute.some(({ name, running }) => name.endsWith(`-${subject}`) && running),
};

/**
 * Another registrar releases the name after a second, or refuses. A transfer cannot be cancelled, so its charge
 * stands.
 */
const transferIn: PaidProcess = {
  name: "transfer-in",
  action: "purchase",
  priceCents: 1_190,
  expectations: {
    ...overConnections(lasting({ done: 202, failed: "registrar_failed" })),
    refused: { answer: "202", isDelivered: false, isOpen: false },
    // The registrar recorded the order, and reports it when it is asked.
    limbo: { answer: "202", isDelivered: true, isOpen: false },
  },
  asksFirst: true,
  standsWhileOpen: true,
  fencedBy: "409 registration_in_flight",
  prepare(_shop, _customer, behaviour) {
    const subject = `elsewhere-${behaviour}.com`;
    const body = { domain: subject, auth_code: "let-me-go" };
    return Promise.resolve({ path: "/domains/transfer", body, subject, expiryDate: null });
  },
  isShown: async (client, { subject }) =>
    itemsOf((await client.get("/domains")).body).some(
      ({ domain_name: name, status }) => name === subject && status === "active",
    ),
  isHeld: ({ registrar }, { subject }) => registrar.some(({ name }) => name === subject),
};

/** Every process that costs money. A further one is a line here. */
export const paidProcesses: readonly PaidProcess[] = [
  registration,
  serverOrder("plan"),
  serverOrder("region"),
  domainRenewal,
  serverRenewal,
  transferIn,
];

function isYearLater(date: string | undefined, before: string | null): boolean {
  return Number(date?.slice(0, 4)) === Number(before?.slice(0, 4)) + 1;
}
