import type { MessageInitShape } from "@bufbuild/protobuf";
import type { admin } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { paged, type PageOptions } from "../arguments/page-options.ts";
import { parseCount, parseId } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { changed, listing } from "../output/reply.ts";
import { fields } from "../output/table.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** Options of `admin server provision`. */
interface ProvisionOptions {
  readonly account: bigint;
  readonly plan: bigint;
  readonly region: bigint;
  readonly months: number;
  readonly whitelisted: boolean;
}

/** `admin server …`: customers' servers. */
export function addServerCommands(group: Command, context: CommandContext): void {
  const server = group.command("server").description("customers' servers");
  addList(server, context);
  addShow(server, context);
  addProvision(server, context);
  addSuspension(server, context);
  addUnsuspension(server, context);
  addTermination(server, context);
  addWhitelisting(server, context, "whitelist", "let a server turn its firewall off", true);
  addWhitelisting(server, context, "unwhitelist", "no longer let a server turn its firewall off", false);
}

function addList(server: Command, context: CommandContext): void {
  paged(
    server
      .command("list")
      .description("list servers, by id, those that have ended too")
      .option("--account <id>", "only this account's", parseId),
  ).action(async (options: PageOptions & { account?: bigint }, command: Command) => {
    const { account: accountId, after: afterId = 0n, limit } = options;
    await answerFromStaff(context, command, async ({ servers }) => {
      const page = { afterId, limit };
      const list = await servers.listAllServers(accountId === undefined ? { page } : { page, accountId });
      return listing(list.servers.map(documentOf), [
        { heading: "id", cell: (row) => row.server_id, align: "right" },
        { heading: "account", cell: (row) => row.account_id, align: "right" },
        { heading: "status", cell: (row) => row.status },
        { heading: "node", cell: (row) => row.node },
        { heading: "address", cell: (row) => row.ip_address },
        { heading: "expires", cell: (row) => row.expiry_date },
      ]);
    });
  });
}

function addShow(server: Command, context: CommandContext): void {
  server
    .command("show")
    .description("show a server, one that has ended too")
    .argument("<id>", "server id", parseId)
    .action(async (serverId: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const { server: found } = await servers.showServer({ serverId });
        if (found === undefined) throw new Error("the instance answered without a server");
        const document = documentOf(found);
        return {
          document,
          text: fields({
            server: document.server_id,
            account: document.account_id,
            status: document.status,
            held: document.held,
            "why, for the customer": document.hold_reason ?? "",
            "note of staff": document.staff_reason ?? "",
            plan: document.plan_id,
            region: document.region_id,
            system: document.distro,
            node: document.node,
            address: document.ip_address,
            "host name": document.hostname ?? "",
            expires: document.expiry_date,
            cancelled: document.cancelled,
            "renews automatically": document.auto_renew,
          }),
        };
      });
    });
}

function documentOf(server: admin.StaffServer) {
  return {
    server_id: jsonInteger(server.id),
    account_id: jsonInteger(server.accountId),
    status: server.status,
    plan_id: jsonInteger(server.planId),
    region_id: jsonInteger(server.regionId),
    distro: server.distro,
    node: server.node,
    ip_address: server.ipAddress,
    hostname: server.hostname ?? null,
    whitelisted: server.whitelisted,
    cancelled: server.cancelled,
    auto_renew: server.autoRenew,
    created_at: server.createdAt,
    expiry_date: server.expiryDate,
    held: server.held,
    hold_reason: server.holdReason ?? null,
    staff_reason: server.staffReason ?? null,
  };
}

function addProvision(server: Command, context: CommandContext): void {
  server
    .command("provision")
    .description("provision a server without charge (migration, gift)")
    .requiredOption("--account <id>", "account id", parseId)
    .requiredOption("--plan <id>", "plan id", parseId)
    .requiredOption("--region <id>", "region id", parseId)
    .option("--months <n>", "months until it expires", parseCount, 1)
    .option("--whitelisted", "let it turn its firewall off", false)
    .action(async (options: ProvisionOptions, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const { account: accountId, plan: planId, region: regionId, months, whitelisted } = options;
        const { serverId } = await servers.provisionServer({
          accountId,
          planId,
          regionId,
          months,
          whitelisted,
        });
        return {
          document: { server_id: jsonInteger(serverId) },
          text: `Server ${String(serverId)} is the account's.\n`,
        };
      });
    });
}

function addSuspension(server: Command, context: CommandContext): void {
  server
    .command("suspend")
    .description("stop a server until it is renewed or unsuspended; with a reason, until it is unsuspended")
    .argument("<id>", "server id", parseId)
    .option(
      "--reason <text>",
      "why, in a line that the customer reads; it is a hold then, and cannot be renewed",
    )
    .option("--note <text>", "a line for staff alone")
    .action(
      (serverId: bigint, given: { readonly reason?: string; readonly note?: string }, command: Command) =>
        setSuspension(context, command, { serverId, suspended: true, ...defined(given) }),
    );
}

function addUnsuspension(server: Command, context: CommandContext): void {
  server
    .command("unsuspend")
    .description("let a suspended server run again, and release it from a hold")
    .argument("<id>", "server id", parseId)
    .action((serverId: bigint, _options: object, command: Command) =>
      setSuspension(context, command, { serverId, suspended: false }),
    );
}

async function setSuspension(
  context: CommandContext,
  command: Command,
  wish: MessageInitShape<typeof admin.SetServerSuspensionRequestSchema>,
): Promise<void> {
  await answerFromStaff(context, command, async ({ servers }) => {
    const { serverId, suspended, held, repeated } = await servers.setServerSuspension(wish);
    const how = held ? "suspended, and held until it is unsuspended" : suspended ? "suspended" : "active";
    return changed(repeated, {
      document: { server_id: jsonInteger(serverId), suspended, held },
      text: `Server ${String(serverId)} is ${how}.\n`,
    });
  });
}

function addTermination(server: Command, context: CommandContext): void {
  server
    .command("terminate")
    .description("end a server at once: its machine is destroyed, and nothing is returned")
    .argument("<id>", "server id", parseId)
    .action(async (id: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const { serverId, status, repeated } = await servers.terminateServer({ serverId: id });
        const what = status === "terminated" ? "has ended" : "ends: its machine is being destroyed";
        return changed(repeated, {
          document: { server_id: jsonInteger(serverId), status },
          text: `Server ${String(serverId)} ${what}.\n`,
        });
      });
    });
}

function addWhitelisting(
  server: Command,
  context: CommandContext,
  verb: string,
  description: string,
  wanted: boolean,
): void {
  server
    .command(verb)
    .description(description)
    .argument("<id>", "server id", parseId)
    .action(async (id: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const { serverId, whitelisted, repeated } = await servers.setServerWhitelisting({
          serverId: id,
          whitelisted: wanted,
        });
        return changed(repeated, {
          document: { server_id: jsonInteger(serverId), whitelisted },
          text: `Server ${String(serverId)} ${whitelisted ? "may" : "may not"} turn its firewall off.\n`,
        });
      });
    });
}
