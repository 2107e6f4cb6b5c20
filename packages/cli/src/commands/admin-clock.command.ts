import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin clock …`: a clock that jumped stops what time alone does, until somebody says that it is right. */
export function addClockCommands(group: Command, context: CommandContext): void {
  group
    .command("clock")
    .description("the clock that renewals, suspensions and expiry follow")
    .command("accept")
    .description("let time-driven work go on after a clock jump: the present time is right")
    .action(async (_options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ clock }) => {
        const { jumps } = await clock.acceptClock({});
        const accepted = jumps.map(({ direction, expectedAt, clockAt }) => ({
          direction,
          expected_at: expectedAt,
          clock_at: clockAt,
        }));
        const lines = accepted.map(
          (jump) => `Confirmed: the clock said ${jump.clock_at}, ${jump.direction} of ${jump.expected_at}.\n`,
        );
        const nothing = "There is nothing to confirm: the clock is trusted.\n";
        return { document: { accepted }, text: lines.length === 0 ? nothing : lines.join("") };
      });
    });
}
