import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { reply, type Answer } from "../output/reply.ts";
import { findStaffAddress, type StaffOptions } from "./staff-address.ts";
import { staffClient, type StaffClient } from "./staff-client.ts";

/**
 * Runs a command against the instance its options name, and prints the answer in the form they ask for.
 * @throws CommandFailure or ConnectError; `run` turns either into a sentence and an exit code.
 */
export async function answerFromStaff(
  { io }: CommandContext,
  command: Command,
  ask: (staff: StaffClient) => Promise<Answer>,
): Promise<void> {
  const options = command.optsWithGlobals<StaffOptions>();
  const staff = staffClient(findStaffAddress(options, io.environment));
  reply(io, options.json, await ask(staff));
}
