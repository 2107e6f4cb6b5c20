import type { ServiceImpl } from "@connectrpc/connect";
import {
  defaultDistro,
  parsed,
  parseGiftMonths,
  parseId,
  parseStaffReason,
  regionAggregate,
  rejection,
  type Rejection,
  serverAggregate,
  type ServerCommand,
  serverOrder,
  serverRenewal,
  stockAggregate,
  stockId,
} from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { defined, Mutex } from "@hostledger/runtime";
import {
  foundRow,
  noSuch,
  rejectionError,
  type RequestContext,
  requestContextOf,
  requestedId,
  requestedPage,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";
import { staffCommand, staffRuns } from "@hostledger/work";

import type { ServerDependencies } from "../dependencies.ts";
import type { RegionRow } from "../reads/catalogue.queries.ts";
import { openRegion, planOnOffer } from "./offer.ts";
import { provisioned, recalledOrder, runOrder } from "./order-server.ts";
import { planHandlers } from "./plans.rpc.ts";
import { staffServerMessage } from "./server.message.ts";

type AdminHandlers = ServiceImpl<typeof admin.ServerAdminService>;

export function serverAdminRpc(dependencies: ServerDependencies): AdminHandlers {
  return {
    ...planHandlers(dependencies),
    ...catalogueHandlers(dependencies),
    ...serverHandlers(dependencies),
    ...readingHandlers(dependencies),
    ...runHandlers(dependencies),
    async reconcileServers({ fix }) {
      const { differences, unanswered, unlisted } = await dependencies.drift.reconcile(fix);
      return { differences: [...differences], unanswered: [...unanswered], unlisted: [...unlisted] };
    },
  };
}

function catalogueHandlers(dependencies: ServerDependencies): Pick<AdminHandlers, "addRegion" | "setStock"> {
  const { clock, regionIds } = dependencies;
  const adding = new Mutex();

  /** Adds a region; a repeat returns the existing region. @throws ConnectError `validation-failed` */
  async function addRegion(
    { code, location }: RegionNames,
    context: WithContextValues,
  ): Promise<{ readonly regionId: bigint; readonly repeated: boolean }> {
    const known = await regionWithCode(dependencies, code);
    if (known !== undefined) {
      if (known.location !== location.trim()) throw rejectionError(codeTaken(known));
      return { regionId: BigInt(known.id), repeated: true };
    }
    const regionId = await regionIds.next();
    const command = { type: "AddRegion", data: { regionId, code, location, at: clock.now() } } as const;
    await staffCommand(dependencies, context, { aggregate: regionAggregate, id: regionId, command });
    return { regionId: BigInt(regionId), repeated: false };
  }

  return {
    addRegion(names, context) {
      return adding.run(() => addRegion(names, context));
    },

    async setStock(request, context) {
      const { planId } = await planOnOffer(dependencies, request.planId);
      const { regionId } = await openRegion(dependencies, request.regionId);
      const { state, repeated } = await staffCommand(dependencies, context, {
        aggregate: stockAggregate,
        id: stockId({ planId, regionId }),
        command: { type: "SetStock", data: { planId, regionId, units: request.units, at: clock.now() } },
      });
      return { units: state.units, repeated };
    },
  };
}

type RegionNames = Pick<admin.AddRegionRequest, "code" | "location">;

/** Finds a region by code, ignoring case, because people type codes. */
async function regionWithCode(
  dependencies: ServerDependencies,
  code: string,
): Promise<RegionRow | undefined> {
  await dependencies.projector.after("end");
  const wanted = code.trim().toLowerCase();
  const regions = await dependencies.queries.allRegions();
  return regions.find((region) => region.code.toLowerCase() === wanted);
}

function codeTaken({ id, code, location }: RegionRow): Rejection {
  const why = `must be another one: region ${String(id)} (${location}) has the code ${code}`;
  return rejection("validation-failed", "There is a region with this code.", {
    fieldErrors: { code: [why] },
  });
}

function serverHandlers(
  dependencies: ServerDependencies,
): Pick<
  AdminHandlers,
  "provisionServer" | "setServerSuspension" | "setServerWhitelisting" | "terminateServer"
> {
  const { clock, commands, nodes, projector } = dependencies;
  return {
    provisionServer: (request, context) => {
      return provisionServer(dependencies, request, requestContextOf(context));
    },

    async setServerSuspension({ serverId, suspended, reason, note }, context) {
      const at = clock.now();
      const given = validated({
        reason: reason === undefined ? parsed(undefined) : parseStaffReason(reason),
        note: note === undefined ? parsed(undefined) : parseStaffReason(note),
      });
      const said = defined({ publicReason: given.reason, note: given.note });
      const { id, repeated } = await command(
        dependencies,
        serverId,
        suspended
          ? { type: "SuspendServer", data: { reason: "staff", ...said, at } }
          : { type: "UnsuspendServer", data: { at } },
        context,
      );
      // The event is stored; the work engine tries again if the node does not answer now.
      await nodes.settle(id);
      const { state } = await commands.load(serverAggregate, String(id));
      const held = state.status === "suspended" && state.hold !== null;
      return { serverId, suspended, held, repeated };
    },

    async terminateServer({ serverId }, context) {
      const { operationId: changeId } = requestContextOf(context);
      const data = { changeId, reason: "staff", at: clock.now() } as const;
      const { state } = await commands.load(serverAggregate, String(requestedId("server", serverId)));
      if (state.status === "terminated") return { serverId, status: state.status, repeated: true };
      const ended = await command(dependencies, serverId, { type: "TerminateServer", data }, context);
      const { id, repeated } = ended;
      await nodes.settle(id);
      const settled = await commands.load(serverAggregate, String(id));
      await projector.after(settled.position);
      return { serverId, status: settled.state.status, repeated };
    },

    async setServerWhitelisting({ serverId, whitelisted }, context) {
      const data = { at: clock.now() };
      const { repeated } = await command(
        dependencies,
        serverId,
        { type: whitelisted ? "WhitelistServer" : "RevokeWhitelisting", data },
        context,
      );
      return { serverId, whitelisted, repeated };
    },
  };
}

function readingHandlers({
  queries,
}: ServerDependencies): Pick<AdminHandlers, "listAllServers" | "showServer"> {
  return {
    async listAllServers({ accountId, presentOnly, ...request }) {
      const page = requestedPage(request.page);
      if (accountId === undefined)
        return { servers: (await queries.allServers({ presentOnly }, page)).map(staffServerMessage) };
      const wanted = { accountId: requestedId("account", accountId), presentOnly };
      const rows = await queries.allServers(wanted, page);
      return { servers: rows.map(staffServerMessage), total: BigInt(await queries.serverCount(wanted)) };
    },

    async showServer({ serverId }) {
      const row = await foundRow("server", serverId, (id) => queries.serverById(id));
      return { server: staffServerMessage(row) };
    },
  };
}

async function provisionServer(
  dependencies: ServerDependencies,
  request: Pick<admin.ProvisionServerRequest, "accountId" | "planId" | "regionId" | "months" | "whitelisted">,
  operation: RequestContext,
): Promise<{ serverId: bigint }> {
  const earlier = await recalledOrder(dependencies, operation);
  if (earlier !== undefined) return { serverId: BigInt(earlier.serverId) };
  const { account_id: accountId, months } = validated({
    account_id: parseId(request.accountId),
    months: parseGiftMonths(request.months === 0 ? 1 : request.months),
  });
  const plan = await planOnOffer(dependencies, request.planId);
  const region = await openRegion(dependencies, request.regionId);
  await refuseUnknownAccount(dependencies, accountId);
  const { whitelisted } = request;
  const terms = { accountId, plan, region, distro: defaultDistro, months, whitelisted };
  const gift = { ...terms, sshKey: null, grossCents: null };
  const { serverId } = provisioned(await runOrder(dependencies, gift, operation));
  const loaded = await dependencies.commands.load(serverAggregate, String(serverId));
  await dependencies.projector.after(loaded.position);
  return { serverId: BigInt(serverId) };
}

async function refuseUnknownAccount({ accounts }: ServerDependencies, accountId: number): Promise<void> {
  if ((await accounts.find(accountId)) === undefined) throw noSuch("account");
}

/** Executes a command and waits for the read models. @returns the server's id, and whether nothing had to be done */
async function command(
  dependencies: ServerDependencies,
  serverId: bigint,
  given: ServerCommand,
  context: WithContextValues,
): Promise<{ readonly id: number; readonly repeated: boolean }> {
  const id = requestedId("server", serverId);
  const sent = { aggregate: serverAggregate, id, command: given, resource: "server" };
  const { repeated } = await staffCommand(dependencies, context, sent);
  return { id, repeated };
}

type RunHandlers = Pick<
  ServiceImpl<typeof admin.ServerAdminService>,
  "listServerRuns" | "showServerRun" | "retryServerRun" | "abandonServerRun"
>;

/** Creates the staff's handlers of unfinished orders and renewals. */
function runHandlers({ orders, projector, queries, renewals, store }: ServerDependencies): RunHandlers {
  const { list, show, retry, abandon } = staffRuns({
    store,
    categories: [serverOrder.category, serverRenewal.category],
    async unfinished(limit, accountId) {
      await projector.after("end");
      return queries.unfinishedRuns(limit, accountId);
    },
    async interrupt(run, word) {
      const row = await queries.runById(run);
      if (row === undefined) throw rejectionError(rejection("run-not-found"));
      const runs = row.process === serverOrder.name ? orders : renewals;
      if (row.status !== "parked" || !(await runs.interrupt(run, word)))
        throw rejectionError(rejection("run-not-parked"));
    },
  });
  return { listServerRuns: list, showServerRun: show, retryServerRun: retry, abandonServerRun: abandon };
}
