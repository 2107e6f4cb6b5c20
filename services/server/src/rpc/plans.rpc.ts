import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { parseStaffReason, planAggregate, type Plan, type PlanCommand } from "@hostledger/core";
import { shown } from "@hostledger/projections";
import type { admin } from "@hostledger/protocol";
import { rejectionError, requestContextOf, requireStaff, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { ServerDependencies } from "../dependencies.ts";
import { streamId } from "./offer.ts";

type Handlers = Pick<ServiceImpl<typeof admin.ServerAdminService>, "addPlan" | "editPlan" | "retirePlan">;

/** What servers can be ordered as. */
export function planHandlers(dependencies: ServerDependencies): Handlers {
  const { clock, planIds } = dependencies;
  return {
    async addPlan(request, context) {
      requireStaff(context);
      const { title, cores, memoryGb, storageGb, priceCents: monthGrossCents } = request;
      const planId = await planIds.next();
      const data = { planId, title, cores, memoryGb, storageGb, monthGrossCents, at: clock.now() };
      await commandPlan(dependencies, BigInt(planId), { type: "AddPlan", data }, context);
      return { planId: BigInt(planId) };
    },

    async editPlan({ planId, title, cores, memoryGb, storageGb, priceCents }, context) {
      requireStaff(context);
      const changes = defined({ title, cores, memoryGb, storageGb, monthGrossCents: priceCents });
      const data = { ...changes, at: clock.now() };
      const plan = await commandPlan(dependencies, planId, { type: "EditPlan", data }, context);
      return { ...plan, planId, priceCents: plan.monthGrossCents };
    },

    async retirePlan({ planId, reason: given }, context) {
      requireStaff(context);
      const { reason } = validated({ reason: parseStaffReason(given) });
      const data = { reason, at: clock.now() };
      await commandPlan(dependencies, planId, { type: "RetirePlan", data }, context);
      return { planId };
    },
  };
}

/** Gives a plan a command, and waits until customers see it. @throws ConnectError the plan's refusal. */
async function commandPlan(
  { commands, projector }: ServerDependencies,
  planId: bigint,
  command: PlanCommand,
  context: HandlerContext,
): Promise<Plan> {
  const request = requestContextOf(context);
  const sent = { ...request, commandId: `${request.operationId}/${command.type}` };
  const executed = await commands.execute(planAggregate, streamId(planId), command, sent);
  if (!executed.accepted) throw rejectionError(executed.rejection);
  await shown(projector, executed);
  const { state } = executed;
  if (state.status === "absent") throw new Error(`plan ${String(planId)} took a command but is not there`);
  return state;
}
