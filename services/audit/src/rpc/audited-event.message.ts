import type { MessageInitShape } from "@bufbuild/protobuf";
import type { audit } from "@hostledger/protocol";
import type { Fact } from "@hostledger/reports";

/** A fact as auditors are told it. @param index of its leaf. */
export function auditedEvent(
  index: number,
  { stream, revision, id, type, time, data, metadata }: Fact,
): MessageInitShape<typeof audit.AuditedEventSchema> {
  return { index: BigInt(index), stream, revision, id, type, time, data, metadata };
}
