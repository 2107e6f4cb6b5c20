import {
  mendingCodec,
  mendingStreamOf,
  readMetadata,
  UndecodableEventError,
  type MendedEvent,
} from "@hostledger/core";
import type { Fact } from "@hostledger/reports";
import { contradictionFinder } from "@hostledger/verification";

import type { AuditClient } from "./audit-client.ts";
import { auditedFacts } from "./audited-facts.ts";

/** Events that staff decided to skip, for reports made from the log. */
export interface MendedFacts {
  /** Returns a sentence about an omitted event, with the staff's reason if staff skipped the event. */
  readonly explained: (about: Pick<Fact, "id" | "stream">, sentence: string) => string;
  /** Passes events on; a skipped event that contradicts its stream gets the reason for the contradiction. */
  readonly marked: (facts: AsyncIterable<Fact>) => AsyncGenerator<Fact>;
}

/** Reads the staff's decisions, and the account streams that they concern. */
export async function readMendedFacts(client: AuditClient): Promise<MendedFacts> {
  const answers = new Map<string, MendedEvent>();
  for await (const fact of auditedFacts(client, { types: ["StreamMended"] })) {
    const answer = answerIn(fact);
    if (answer !== undefined) answers.set(answer.eventId, answer);
  }
  const ofAccounts = [...answers.values()].filter(({ stream }) => stream.startsWith("account-"));
  const finder = contradictionFinder(ofAccounts);
  for (const stream of new Set(ofAccounts.map((answer) => answer.stream)))
    for await (const fact of auditedFacts(client, { stream })) finder.see(fact);
  return {
    explained({ id, stream }, sentence) {
      const answer = answers.get(id);
      return answer?.stream === stream
        ? `${sentence}; the staff had it passed over: ${answer.reason}`
        : `${sentence}; nobody had it passed over`;
    },
    async *marked(facts) {
      for await (const fact of facts) {
        const contradiction = finder.found.get(fact.id);
        yield contradiction === undefined ? fact : { ...fact, contradiction };
      }
    },
  };
}

/** Returns a valid decision from the stream for decisions about the event's stream; undefined otherwise. */
function answerIn({ stream, type, data, metadata }: Fact): MendedEvent | undefined {
  try {
    readMetadata(metadata);
    const answer = mendingCodec.decode(type, data).data;
    return stream === mendingStreamOf(answer.stream) ? answer : undefined;
  } catch (error) {
    if (error instanceof UndecodableEventError) return undefined;
    throw error;
  }
}
