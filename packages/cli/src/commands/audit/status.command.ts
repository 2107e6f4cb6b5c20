import { counted, grouped } from "@hostledger/core";
import { audit } from "@hostledger/protocol";
import type { Command } from "commander";
import { answerFromAudit } from "../../audit/audit-command.ts";
import type { CommandContext } from "../../command-context.ts";
import { jsonInteger } from "../../output/json.ts";
import { documentOf } from "../../output/message-document.ts";
import type { Answer } from "../../output/reply.ts";
import { fields, printable } from "../../output/table.ts";

/** Adds `audit status`, which prints the log's state and how much of the store was checked against it. */
export function addStatusCommand(parent: Command, context: CommandContext): void {
  parent
    .command("status")
    .description(
      "show the state of the log, and how much of the store was compared with it; exit 1 if something is wrong",
    )
    .action(async (_options: object, command: Command) => {
      await answerFromAudit(context, command, async (client) => statusAnswer(await client.getLogStatus({})));
    });
}

function statusAnswer(status: audit.GetLogStatusResponse): Answer {
  const { state, sentence, size, signedSize, mended, scrub } = status;
  const faults = [
    ...(state === "following" ? [] : [sentence]),
    ...(scrub === undefined || scrub.differences === 0n ? [] : [scrub.firstDifference]),
    ...(scrub?.fileProblems ?? []).map((problem) => `The file of the event store: ${problem}.`),
  ];
  const answer = {
    document: {
      state,
      sentence,
      size: jsonInteger(size),
      signed_size: jsonInteger(signedSize),
      mended,
      scrub: scrub === undefined ? null : documentOf(audit.ScrubSchema, scrub),
    },
    text: fields({
      log: state,
      events: grouped(Number(size)),
      signed: grouped(Number(signedSize)),
      ...(scrub === undefined ? {} : scrubFields(scrub, Number(size))),
    }).concat(...mended.map((each) => `${printable(each)}\n`)),
  };
  return faults.length === 0 ? answer : { ...answer, refusal: faults.map(printable).join("\n") };
}

function scrubFields(scrub: audit.Scrub, size: number) {
  const { rate, compared, roundStartedAt, roundEndedAt, differences, fileCheckedAt } = scrub;
  const round = `${grouped(Number(compared))} of ${counted(size, "event")}, ${grouped(Number(rate))} a second`;
  return {
    scrub: rate === 0n ? "none: HOSTLEDGER_SCRUB_RATE is 0" : round,
    "round began": roundStartedAt ?? "not yet",
    "last full round": roundEndedAt ?? "not yet",
    differences: grouped(Number(differences)),
    "file looked at": fileCheckedAt ?? "not yet",
  };
}
