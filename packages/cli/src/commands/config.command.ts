import { describeConfiguration } from "@hostledger/host/configuration";
import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { listing, reply } from "../output/reply.ts";
import { configurationOf } from "../start/configuration-of.ts";

/** Adds `hostledger config`, which validates the environment like `start` and prints the configuration. */
export function addConfigCommand(program: Command, { io }: CommandContext): void {
  program
    .command("config")
    .description("print the configuration without its secrets")
    .option("--json", "print one JSON document")
    .action(({ json }: { json?: boolean }) => {
      const rows = describeConfiguration(configurationOf(io.environment)).map(
        ({ variable, value, meaning }) => ({
          variable,
          value,
          meaning,
        }),
      );
      reply(
        io,
        json,
        listing(rows, [
          { heading: "variable", cell: (row) => row.variable },
          { heading: "value", cell: (row) => row.value },
          { heading: "meaning", cell: (row) => row.meaning },
        ]),
      );
    });
}
