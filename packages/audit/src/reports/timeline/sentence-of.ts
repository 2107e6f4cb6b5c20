import { hostingCodec, hostingEvents, isForeign, UndecodableEventError } from "@hostledger/core";
import type { Event } from "../event.ts";
import {
  accountSentences,
  approvalSentences,
  auditorSentences,
  bankSentences,
  catalogueSentences,
  clockSentences,
  storeRewindSentences,
  comparisonSentences,
  documentSentences,
  installationSentences,
  mendingSentences,
  quotaSentences,
  referenceSentences,
  retentionSentences,
  noticeChoiceSentences,
  webhookSentences,
  registrySentences,
  requestSentences,
  staffSentences,
} from "./account.sentences.ts";
import { domainSentences } from "./domain.sentences.ts";
import { paymentSentences, walletSentences } from "./payment.sentences.ts";
import { runSentence, runSentences } from "./run.sentences.ts";
import type { AllSentences, DataByType, EventOf } from "./sentences.ts";
import { serverSentences } from "./server.sentences.ts";

const sentences: AllSentences = {
  ...accountSentences,
  ...approvalSentences,
  ...auditorSentences,
  ...bankSentences,
  ...catalogueSentences,
  ...clockSentences,
  ...storeRewindSentences,
  ...comparisonSentences,
  ...documentSentences,
  ...installationSentences,
  ...mendingSentences,
  ...quotaSentences,
  ...referenceSentences,
  ...retentionSentences,
  ...noticeChoiceSentences,
  ...paymentSentences,
  ...walletSentences,
  ...webhookSentences,
  ...registrySentences,
  ...requestSentences,
  ...domainSentences,
  ...runSentences,
  ...serverSentences,
  ...staffSentences,
};

/** Describes an event in a sentence, also an unreadable one: of a newer version, or with sealed personal data. */
export function sentenceOf({ type, data, metadata }: Pick<Event, "type" | "data" | "metadata">): string {
  if (isForeign({ type, metadata })) return `${type}, which other software wrote: Hostledger skips it.`;
  try {
    return sentenceByType(hostingCodec.decode(type, data));
  } catch (error) {
    if (error instanceof UndecodableEventError) return `${type}, which this version cannot read.`;
    throw error;
  }
}

function sentenceByType<Types extends keyof DataByType>(event: EventOf<Types>): string {
  const { type, data } = event;
  return sentences[type]?.(data) ?? runSentence(event) ?? hostingEvents[type].sentence;
}
