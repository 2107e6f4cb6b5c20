import { ConnectError } from "@connectrpc/connect";
import { createStaffClient, type StaffClient } from "@hostledger/rpc";
import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { reply, type Answer } from "../output/reply.ts";
import { printable } from "../output/table.ts";
import { staffFailure } from "./staff-failure.ts";
import { findStaffAddress, type StaffOptions } from "./staff-address.ts";

/** How long an ordinary call may take, in milliseconds. */
const callDeadlineMilliseconds = 30_000;

/** How long a rebuild may take, in milliseconds: it reads the whole log. */
export const rebuildDeadlineMilliseconds = 30 * 60_000;

/** The largest answer taken, in bytes: far above any list, far below what would hurt. */
const answerMaximumBytes = 256 * 1024 * 1024;

/**
 * Runs a command against the instance its options name, and prints the answer in the form they ask for.
 * @param typed what a person types, by the field of the request that it becomes
 * @throws CommandFailure or ConnectError; `run` turns either into a sentence and an exit code.
 */
export async function answerFromStaff(
  { io }: CommandContext,
  command: Command,
  ask: (staff: StaffClient) => Promise<Answer>,
  typed?: ReadonlyMap<string, string>,
): Promise<void> {
  const options = command.optsWithGlobals<StaffOptions>();
  const { url, token, trust } = findStaffAddress(options, io.environment);
  const stale = new Set<string>();
  const staff = createStaffClient({
    baseUrl: url,
    credential: token,
    defaultTimeoutMs: callDeadlineMilliseconds,
    readMaxBytes: answerMaximumBytes,
    nodeOptions: { ...trust },
    onStale(names) {
      for (const name of names.split(", ")) stale.add(name);
    },
  });
  const answer = await answered(ask(staff), command, typed);
  // Beside the answer, so that programs that read it are not disturbed.
  if (stale.size > 0)
    io.err(
      `Some of this may be out of date, as ${printable([...stale].join(", "))} says: see "hostledger projections stopped" and "… status".\n`,
    );
  reply(io, options.json, answer);
}

/** A refusal names the fields of a request as the command's options do. @throws CommandFailure */
async function answered(
  answer: Promise<Answer>,
  command: Command,
  typed: ReadonlyMap<string, string> | undefined,
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof ConnectError ? staffFailure(error, command, typed) : error;
  }
}
