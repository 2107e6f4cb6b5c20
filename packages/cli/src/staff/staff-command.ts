import { ConnectError } from "@connectrpc/connect";
import { createStaffClient, type StaffClient } from "@hostledger/rpc";
import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { reply, type Answer } from "../output/reply.ts";
import { printable } from "../output/table.ts";
import { staffFailure } from "./staff-failure.ts";
import { findStaffAddress, type StaffOptions } from "./staff-address.ts";

/** Time limit of an ordinary call, in milliseconds. */
const callDeadlineMilliseconds = 30_000;

/** Time limit of a rebuild, which reads the whole log, in milliseconds. */
export const rebuildDeadlineMilliseconds = 30 * 60_000;

/** Maximum answer in bytes: far more than any list, and little enough for memory. */
const answerMaximumBytes = 256 * 1024 * 1024;

/**
 * Calls the instance named by the command's options and prints the answer as text or JSON.
 * @param typed names of inputs by request field, for error messages
 * @throws CommandFailure or ConnectError; `run` converts both to a sentence and an exit code.
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
  // Written to standard error, so that programs reading the answer are not disturbed.
  if (stale.size > 0)
    io.err(
      `Some of this may be out of date, as ${printable([...stale].join(", "))} says: see "hostledger projections stopped" and "… status".\n`,
    );
  reply(io, options.json, answer);
}

/** Names the command's options in a refusal instead of the request's fields. @throws CommandFailure */
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
