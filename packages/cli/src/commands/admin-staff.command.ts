import { staffRoles } from "@hostledger/core";
import { Option, type Command } from "commander";
import { parseText } from "../arguments/value-parsers.ts";
import { parseUntil } from "../audit/instant-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { changed, listing } from "../output/reply.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin staff …`: the persons of staff, and the tokens that they show. */
export function addStaffCommands(group: Command, context: CommandContext): void {
  const staff = group.command("staff").description("persons of staff, and what each may do");
  addAdd(staff, context);
  addList(staff, context);
  addRevoke(staff, context);
}

function addAdd(staff: Command, context: CommandContext): void {
  staff
    .command("add")
    .description("add a person with a role; the token is shown once, here")
    .argument("<name>", "what the facts call the person: letters, digits, dots, dashes, _ or @", parseText)
    .addOption(
      new Option("--role <role>", "what the person may do").choices([...staffRoles]).makeOptionMandatory(),
    )
    .option("--expires <instant>", "when the token ends: a date (its last moment) or an instant", parseUntil)
    .action(async (name: string, options: { role: string; expires?: string }, command: Command) => {
      await answerFromStaff(context, command, async ({ members }) => {
        const { role, expires: expiresAt } = options;
        const added = await members.addStaffMember({
          name,
          role,
          ...(expiresAt === undefined ? {} : { expiresAt }),
        });
        const { token } = added;
        const until = added.expiresAt === undefined ? "" : `, until ${added.expiresAt}`;
        return {
          document: {
            name: added.name,
            role: added.role,
            token,
            ...(added.expiresAt === undefined ? {} : { expires_at: added.expiresAt }),
          },
          text: `${added.name} is ${added.role}${until}. The token for HOSTLEDGER_ADMIN_TOKEN, shown this once:\n${token}\n`,
        };
      });
    });
}

function addList(staff: Command, context: CommandContext): void {
  staff
    .command("list")
    .description("list everybody who was ever added, by name")
    .action(async (_options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ members }) => {
        const list = await members.listStaffMembers({});
        const rows = list.members.map((member) => ({
          name: member.name,
          role: member.role,
          added_at: member.addedAt,
          expires_at: member.expiresAt ?? null,
          revoked_at: member.revokedAt ?? null,
        }));
        return listing(rows, [
          { heading: "name", cell: (row) => row.name },
          { heading: "role", cell: (row) => row.role },
          { heading: "added", cell: (row) => row.added_at },
          { heading: "expires", cell: (row) => row.expires_at },
          { heading: "revoked", cell: (row) => row.revoked_at },
        ]);
      });
    });
}

function addRevoke(staff: Command, context: CommandContext): void {
  staff
    .command("revoke")
    .description("revoke a person's token for good")
    .argument("<name>", "the person, as listed", parseText)
    .action(async (name: string, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ members }) => {
        const revoked = await members.revokeStaffMember({ name });
        return changed(revoked.repeated, {
          document: { name: revoked.name },
          text: `The token of ${revoked.name} is revoked.\n`,
        });
      });
    });
}
