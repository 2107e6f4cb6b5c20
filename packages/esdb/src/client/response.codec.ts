import type { BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { UUID } from "@eventstore/db-client/generated/shared_pb.js";
import type { AppendResult } from "@hostledger/event-store";

import { uuidOfBits } from "./log-message.codec.ts";
import { shared } from "./protocol.ts";

/** A UUID in either of its two forms. */
export function uuidText(uuid: UUID | undefined): string {
  const structured = uuid?.getStructured();
  if (structured === undefined) return uuid?.getString().toLowerCase() ?? "";
  return uuidOfBits(
    BigInt(structured.getMostSignificantBits()),
    BigInt(structured.getLeastSignificantBits()),
  );
}

/** How the server answers one append. */
export type AppendAnswer =
  | { readonly kind: "stored"; readonly result: AppendResult }
  | { readonly kind: "wrong-revision"; readonly actual: bigint | "no-stream" }
  | { readonly kind: "too-large"; readonly limit: number }
  | { readonly kind: "refused"; readonly error: AppendRefusal };

/** A refusal in the words and codes of a failed call, so that both are judged alike. */
export class AppendRefusal extends Error {
  override readonly name = "AppendRefusal";
  readonly code: number;
  readonly exception: string | undefined;

  constructor(message: string, code: number, exception: string | undefined) {
    super(message);
    this.code = code;
    this.exception = exception;
  }
}

/** Whose append it is, and the answer. */
export function decodeAppendAnswer(message: BatchAppendResp): readonly [string, AppendAnswer] {
  const id = uuidText(message.getCorrelationId());
  const success = message.getSuccess();
  if (success === undefined) return [id, decodeRefusal(message)];
  const result = {
    revision: BigInt(success.getCurrentRevision()),
    position: BigInt(success.getPosition()?.getCommitPosition() ?? 0),
  };
  return [id, { kind: "stored", result }];
}

/** The names under which refusals travel, and those that failed calls have for the same. */
const exceptions: Readonly<Record<string, string>> = {
  "event_store.client.AccessDenied": "access-denied",
  "event_store.client.StreamDeleted": "stream-deleted",
};
const deadlineExceeded = 4;

function decodeRefusal(message: BatchAppendResp): AppendAnswer {
  const error = message.getError();
  const details = error?.getDetails();
  const type = details?.getTypeName() ?? "";
  const bytes = details?.getValue_asU8() ?? new Uint8Array();
  if (type === "event_store.client.WrongExpectedVersion") {
    const wrong = shared.WrongExpectedVersion.deserializeBinary(bytes);
    const actual = wrong.hasCurrentStreamRevision() ? BigInt(wrong.getCurrentStreamRevision()) : "no-stream";
    return { kind: "wrong-revision", actual };
  }
  if (type === "event_store.client.MaximumAppendSizeExceeded") {
    const limit = shared.MaximumAppendSizeExceeded.deserializeBinary(bytes).getMaxappendsize();
    return { kind: "too-large", limit };
  }
  // The code of these statuses is not reliable (google.rpc's, often UNKNOWN), their type is.
  const code = type === "event_store.client.Timeout" ? deadlineExceeded : (error?.getCode() ?? 0);
  const text = error?.getMessage() ?? "";
  return { kind: "refused", error: new AppendRefusal(text === "" ? type : text, code, exceptions[type]) };
}
