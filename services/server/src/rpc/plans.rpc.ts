import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  parseInstant,
  parseStaffReason,
  planAggregate,
  planAt,
  rejection,
  type AnnouncePlanPrice,
  type EditPlan,
  type PlanCommand,
  type PlanState,
} from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { rejectionError, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { staffCommand } from "@hostledger/work";

import type { ServerDependencies } from "../dependencies.ts";
import { pricedAt } from "../reads/catalogue.queries.ts";
import { streamId } from "./offer.ts";

type Handlers = Pick<
  ServiceImpl<typeof admin.ServerAdminService>,
  "addPlan" | "editPlan" | "retirePlan" | "showCatalogue"
>;

/** Creates the handlers of plans, regions and stock. */
export function planHandlers(dependencies: ServerDependencies): Handlers {
  const { agreedClock: clock, planIds, queries } = dependencies;
  return {
    async showCatalogue() {
      const now = clock.now();
      const [plans, regions, stock] = await Promise.all([
        queries.allPlans(),
        queries.allRegions(),
        queries.stock(now),
      ]);
      return {
        plans: plans.map((row) => {
          const { announced_cents: cents, valid_from: validFrom } = row;
          const isAhead = cents !== null && validFrom !== null && validFrom > now;
          const announced = isAhead ? { announcedPriceCents: BigInt(cents), validFrom } : {};
          const {
            id,
            title,
            cores,
            memory_gb: memoryGb,
            storage_gb: storageGb,
            ...plan
          } = pricedAt(row, now);
          const terms = { id: BigInt(id), title, cores, memoryGb, storageGb };
          return {
            ...terms,
            priceCents: BigInt(plan.price_cents),
            retired: plan.retired === 1,
            ...announced,
          };
        }),
        regions: regions.map(({ id, code, location }) => ({ id: BigInt(id), code, location })),
        stock: stock.map(({ plan, region, units }) => ({
          planId: BigInt(plan.id),
          regionId: BigInt(region.id),
          units,
        })),
      };
    },

    async addPlan(request, context) {
      const { title, cores, memoryGb, storageGb, priceCents: monthGrossCents } = request;
      const planId = await planIds.next();
      const data = { planId, title, cores, memoryGb, storageGb, monthGrossCents, at: clock.now() };
      await commandPlan(dependencies, BigInt(planId), { type: "AddPlan", data }, context);
      return { planId: BigInt(planId) };
    },

    async editPlan(request, context) {
      const command = planEdit(request, clock.now());
      const { state, repeated } = await commandPlan(dependencies, request.planId, command, context);
      const plan = planAt(state, clock.now());
      const { announced, monthGrossCents: priceCents } = plan;
      const { monthGrossCents: announcedPriceCents, validFrom } = announced ?? {};
      const announcement = defined({ announcedPriceCents, validFrom });
      return { ...plan, planId: request.planId, priceCents, repeated, ...announcement };
    },

    async retirePlan({ planId, reason: given }, context) {
      const { reason } = validated({ reason: parseStaffReason(given) });
      const data = { reason, at: clock.now() };
      const { repeated } = await commandPlan(dependencies, planId, { type: "RetirePlan", data }, context);
      return { planId, repeated };
    },
  };
}

/** Parses the edit of a plan. @throws ConnectError `validation-failed` */
function planEdit(
  { title, cores, memoryGb, storageGb, priceCents, validFrom: from }: admin.EditPlanRequest,
  at: string,
): EditPlan | AnnouncePlanPrice {
  const terms = defined({ title, cores, memoryGb, storageGb });
  if (from === undefined)
    return { type: "EditPlan", data: { ...terms, ...defined({ monthGrossCents: priceCents }), at } };
  if (priceCents === undefined || Object.keys(terms).length > 0) {
    const fieldErrors = { valid_from: ["is for a price only"] };
    throw rejectionError(
      rejection("validation-failed", "Only a price can have a start date.", { fieldErrors }),
    );
  }
  const { valid_from: validFrom } = validated({ valid_from: parseInstant(from) });
  return { type: "AnnouncePlanPrice", data: { monthGrossCents: priceCents, validFrom, at } };
}

/** Executes a command on a plan and waits until customers see the change. @throws ConnectError for a rejection. */
async function commandPlan(
  dependencies: ServerDependencies,
  planId: bigint,
  command: PlanCommand,
  context: HandlerContext,
): Promise<{ readonly state: Exclude<PlanState, { status: "absent" }>; readonly repeated: boolean }> {
  const sent = { aggregate: planAggregate, id: streamId(planId), command };
  const { state, repeated } = await staffCommand(dependencies, context, sent);
  if (state.status === "absent") throw new Error(`plan ${String(planId)} took a command but is not there`);
  return { state, repeated };
}
