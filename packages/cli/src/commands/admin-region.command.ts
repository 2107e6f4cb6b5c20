import type { Command } from "commander";
import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { answerFromStaff } from "../staff/staff-command.ts";
import { addRegionLists } from "./admin-catalogue-lists.ts";

/** `admin region …`: where servers can be placed. */
export function addRegionCommands(group: Command, context: CommandContext): void {
  const region = group.command("region").description("regions in which servers can be placed");
  addRegionLists(region, context);
  region
    .command("add")
    .description("add a region")
    .requiredOption("--code <code>", "short code, for example fra", parseText)
    .requiredOption("--location <place>", "name of the place", parseText)
    .action(async ({ code, location }: { code: string; location: string }, command: Command) => {
      await answerFromStaff(context, command, async ({ servers }) => {
        const { regionId } = await servers.addRegion({ code, location });
        return {
          document: { region_id: jsonInteger(regionId) },
          text: `Region ${String(regionId)} (${code}) is there.\n`,
        };
      });
    });
}
