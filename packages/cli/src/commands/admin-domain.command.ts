import type { Command } from "commander";
import { parseId } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin domain …`: customers' domains. */
export function addDomainCommands(group: Command, context: CommandContext): void {
  const domain = group.command("domain").description("customers' domains");
  addSuspension(domain, context, "suspend", "suspend a domain", true);
  addSuspension(domain, context, "unsuspend", "lift the suspension of a domain", false);
}

function addSuspension(
  domain: Command,
  context: CommandContext,
  verb: string,
  description: string,
  suspended: boolean,
): void {
  domain
    .command(verb)
    .description(description)
    .argument("<id>", "domain id", parseId)
    .action(async (id: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ domains }) => {
        const { domainId, status } = await domains.setDomainSuspension({ domainId: id, suspended });
        return {
          document: { domain_id: jsonInteger(domainId), status },
          text: `Domain ${String(domainId)} is ${status}.\n`,
        };
      });
    });
}
