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

/** What staff had passed over, for reports that are made here of the log's events. */
export interface MendedFacts {
  /** A sentence about an event that is left out, with the reason of the staff where they had it passed over. */
  readonly explained: (about: Pick<Fact, "id" | "stream">, sentence: string) => string;
  /** The facts, each that staff had passed over and that contradicts its stream with the reason why it does. */
  readonly marked: (facts: AsyncIterable<Fact>) => AsyncGenerator<Fact>;
}

/** Asks for the answers of the staff, and for the streams of accounts that these are about. */
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

/** Only an event of ours is an answer, and only beside those about its stream. */
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
