import type { BatchAppendReq, BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { AppendResult, ExpectedRevision } from "@hostledger/store";

import { protobufEmpty, shared, streams } from "./protocol.ts";
import { decodeStatus, encodeStatus } from "./refusal.codec.ts";
import { Refusal } from "./refusal.ts";
import { decodeUuid } from "./wire-values.codec.ts";

/** Outcome of an accepted append. An append without events has the stream's revision and no position. */
export type Appended = AppendResult | { readonly last: bigint | "no-stream" };

export function encodeAppended(appended: Appended): InstanceType<typeof streams.AppendResp> {
  const success = new streams.AppendResp.Success();
  return new streams.AppendResp().setSuccess(
    succeeded(success, new shared.Empty(), new streams.AppendResp.Position(), appended),
  );
}

/** Common fields of the answers to both forms of append. */
interface SuccessMessage<Empty, Place> {
  setNoPosition(value: Empty): unknown;
  setNoStream(value: Empty): unknown;
  setCurrentRevision(value: string): unknown;
  setPosition(value: Place): unknown;
}

function succeeded<Empty, Place extends PositionMessage, Success extends SuccessMessage<Empty, Place>>(
  success: Success,
  empty: Empty,
  place: Place,
  appended: Appended,
): Success {
  if ("last" in appended) success.setNoPosition(empty);
  else success.setPosition(placed(place, appended));
  const revision = "last" in appended ? appended.last : appended.revision;
  if (revision === "no-stream") success.setNoStream(empty);
  else success.setCurrentRevision(String(revision));
  return success;
}

export function encodeAppendConflict(
  expected: ExpectedRevision,
  actual: string | undefined,
): InstanceType<typeof streams.AppendResp> {
  const conflict = new streams.AppendResp.WrongExpectedVersion();
  if (actual === undefined) conflict.setCurrentNoStream(new shared.Empty());
  else conflict.setCurrentRevision(actual);
  if (expected === "any") conflict.setExpectedAny(new shared.Empty());
  else if (expected === "no-stream") conflict.setExpectedNoStream(new shared.Empty());
  else if (expected === "stream-exists") conflict.setExpectedStreamExists(new shared.Empty());
  else conflict.setExpectedRevision(String(expected));
  return new streams.AppendResp().setWrongExpectedVersion(conflict);
}

export function encodeDeleted(result: AppendResult): InstanceType<typeof streams.DeleteResp> {
  return new streams.DeleteResp().setPosition(placed(new streams.DeleteResp.Position(), result));
}

export function encodeTombstoned(result: AppendResult): InstanceType<typeof streams.TombstoneResp> {
  return new streams.TombstoneResp().setPosition(placed(new streams.TombstoneResp.Position(), result));
}

/** Common fields of messages with a position. */
interface PositionMessage {
  setCommitPosition(value: string): unknown;
  setPreparePosition(value: string): unknown;
}

function placed<Place extends PositionMessage>(
  place: Place,
  { position }: Pick<AppendResult, "position">,
): Place {
  place.setCommitPosition(String(position));
  place.setPreparePosition(String(position));
  return place;
}

/** Builds the answer on the shared stream: correlation id, stream, expectation and outcome. */
export function encodeBatchAnswer(
  correlation: InstanceType<typeof shared.UUID> | undefined,
  options: BatchAppendReq.Options | undefined,
  outcome: Appended | Refusal,
): InstanceType<typeof streams.BatchAppendResp> {
  const answer = new streams.BatchAppendResp();
  answer.setCorrelationId(correlation);
  if (options !== undefined) {
    answer.setStreamIdentifier(options.getStreamIdentifier());
    if (options.hasStreamPosition()) answer.setStreamPosition(options.getStreamPosition());
    if (options.hasAny()) answer.setAny(new protobufEmpty.Empty());
    if (options.hasNoStream()) answer.setNoStream(new protobufEmpty.Empty());
    if (options.hasStreamExists()) answer.setStreamExists(new protobufEmpty.Empty());
  }
  if (outcome instanceof Refusal) return answer.setError(encodeStatus(outcome));
  const success = new streams.BatchAppendResp.Success();
  return answer.setSuccess(
    succeeded(success, new protobufEmpty.Empty(), new shared.AllStreamPosition(), outcome),
  );
}

/** Reads the correlation id and the outcome. Our client appends no empty lists of events. */
export function decodeBatchAnswer(message: BatchAppendResp): readonly [string, AppendResult | Refusal] {
  const id = decodeUuid(message.getCorrelationId());
  const success = message.getSuccess();
  if (success === undefined) return [id, decodeStatus(message.getError())];
  return [
    id,
    {
      revision: BigInt(success.getCurrentRevision()),
      position: BigInt(success.getPosition()?.getCommitPosition() ?? 0),
    },
  ];
}
