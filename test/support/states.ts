import { renderOpenApiDocument } from "@hostledger/gateway";
import type { PartDecorators } from "@hostledger/host";
import type { StaffClient } from "@hostledger/rpc";

import { objectOf } from "./matchers.ts";
import type { RestAnswer } from "./rest-client.ts";
import type { Shop } from "./shop.ts";
import type { Customer } from "./staff-client.ts";

/** The states of domains and servers, and what can be asked for in them. */

/** A domain or a server. */
export interface Subject {
  readonly id: number;
  /** A domain's name; empty for a server. */
  readonly name: string;
  /** A record of the domain's zone; 0 where there is none. */
  readonly record: number;
}

/** Parts for creating a state. */
export interface Scene {
  readonly client: Customer;
  readonly staff: StaffClient;
  readonly planId: number;
  readonly regionId: number;
  /** A plan whose servers are not set up until `Held` releases them. */
  readonly heldPlanId: number;
}

/** A state, named as a heading. */
export interface State {
  readonly name: string;
  /** Days after the creation at which the subject is in the state. */
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

  /** Puts the plan with waiting servers on sale. */
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

/** Returns a check whether a subject has a status. */
export const hasStatus =
  (pathOf: (subject: Subject) => string, wanted: string) =>
  async (client: Customer, _staff: StaffClient, subject: Subject): Promise<boolean> =>
    objectOf((await client.get(pathOf(subject))).body).status === wanted;

/** Returns whether a subject is no longer listed. */
export const isGone =
  (pathOf: (subject: Subject) => string) =>
  async (client: Customer, _staff: StaffClient, subject: Subject): Promise<boolean> =>
    (await client.get(pathOf(subject))).status === 404;

/** Returns the document's operations on a single domain or server, and on a name. */
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
