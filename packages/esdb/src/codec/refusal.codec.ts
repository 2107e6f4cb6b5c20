import type { Status } from "@eventstore/db-client/generated/status_pb.js";
import { Metadata, status as grpcStatus, type ServiceError } from "@grpc/grpc-js";
import type { Message } from "google-protobuf";

import { code, protobufAny, protobufEmpty, shared, status } from "./protocol.ts";
import { Refusal, type RefusalKind } from "./refusal.ts";
import { encodeStreamName } from "./wire-values.codec.ts";

/*
 * A refusal travels in one of two forms: at the end of a call, in its trailers; and inside the shared append stream, as
 * a status whose details say what it is.
 */

/** Converts a refusal to the end of a call. EventStoreDB has no exception for a timeout. */
export function encodeTrailers({ code: grpcCode, fields, kind, message }: Refusal): ServiceError {
  const metadata = new Metadata();
  if (kind !== undefined && kind !== "timeout") metadata.set("exception", kind);
  for (const [name, value] of Object.entries(fields)) metadata.set(name, headerText(value));
  return Object.assign(new Error(message), { code: grpcCode, details: message, metadata });
}

/** Trailers only hold printable ASCII; other characters would make the error itself fail. */
function headerText(value: string): string {
  return /^[\x20-\x7e]*$/.test(value) ? value : encodeURIComponent(value);
}

/** Kind of a failure: a refusal's kind, or the `exception` in the trailers of a failed call. */
export function exceptionOf(failure: unknown): string | undefined {
  return failure instanceof Refusal ? failure.kind : trailer(failure, "exception");
}

/** Reads a trailer of a failed call of any library. */
export function trailer(failure: unknown, name: string): string | undefined {
  if (!(failure instanceof Error)) return undefined;
  const metadata: unknown = Reflect.get(failure, "metadata");
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const map: unknown = Reflect.get(metadata, "getMap");
  if (typeof map !== "function") return undefined;
  const values: unknown = Reflect.apply(map, metadata, []);
  if (typeof values !== "object" || values === null) return undefined;
  const value: unknown = Reflect.get(values, name);
  return typeof value === "string" ? value : undefined;
}

/** Types of a status's details, by which clients distinguish refusals. */
const detailTypes = {
  "wrong-expected-version": "event_store.client.WrongExpectedVersion",
  "stream-deleted": "event_store.client.StreamDeleted",
  "access-denied": "event_store.client.AccessDenied",
  timeout: "event_store.client.Timeout",
  "maximum-append-size-exceeded": "event_store.client.MaximumAppendSizeExceeded",
} as const satisfies Partial<Record<RefusalKind, string>>;

const kindsByType = new Map<string, RefusalKind>([
  [detailTypes["wrong-expected-version"], "wrong-expected-version"],
  [detailTypes["stream-deleted"], "stream-deleted"],
  [detailTypes["access-denied"], "access-denied"],
  [detailTypes.timeout, "timeout"],
  [detailTypes["maximum-append-size-exceeded"], "maximum-append-size-exceeded"],
]);

/** gRPC's own enumeration and that of google.rpc have the same numbers. */
const codes = new Map(
  Object.values(code.Code)
    .filter((value) => typeof value !== "string")
    .map((value): [number, typeof value] => [value, value]),
);
const grpcCodes = new Map(
  Object.values(grpcStatus)
    .filter((value) => typeof value !== "string")
    .map((value): [number, grpcStatus] => [value, value]),
);

/** Writes a refusal for the shared append stream, always with details. */
export function encodeStatus(refusal: Refusal): InstanceType<typeof status.Status> {
  const details = new protobufAny.Any();
  const [type, message] = detailsOf(refusal);
  details.pack(message.serializeBinary(), type);
  const answer = new status.Status();
  answer.setCode(codes.get(refusal.code) ?? code.Code.UNKNOWN);
  return answer.setMessage(refusal.message).setDetails(details);
}

function detailsOf({ kind, fields }: Refusal): readonly [string, Message] {
  switch (kind) {
    case "wrong-expected-version":
      return [detailTypes[kind], conflict(fields)];
    case "stream-deleted":
      return [
        detailTypes[kind],
        new shared.StreamDeleted().setStreamIdentifier(encodeStreamName(fields["stream-name"] ?? "")),
      ];
    case "access-denied":
      return [detailTypes[kind], new shared.AccessDenied()];
    case "timeout":
      return [detailTypes[kind], new shared.Timeout()];
    case "maximum-append-size-exceeded":
      return [
        detailTypes[kind],
        new shared.MaximumAppendSizeExceeded().setMaxappendsize(Number(fields["maximum-append-size"])),
      ];
    default:
      return ["google.protobuf.Empty", new protobufEmpty.Empty()];
  }
}

function conflict(fields: Refusal["fields"]): Message {
  const details = new shared.WrongExpectedVersion();
  const actual = fields["actual-version"];
  if (actual === undefined) details.setCurrentNoStream(new protobufEmpty.Empty());
  else details.setCurrentStreamRevision(actual);
  const expected = fields["expected-version"];
  if (expected === "-1") details.setExpectedNoStream(new protobufEmpty.Empty());
  else if (expected === "-2") details.setExpectedAny(new protobufEmpty.Empty());
  else if (expected === "-4") details.setExpectedStreamExists(new protobufEmpty.Empty());
  else details.setExpectedStreamPosition(expected ?? "0");
  return details;
}

/**
 * Reads a refusal from the shared append stream. It keeps the fields that our client uses: the stream's last
 * revision, and the largest append. Only the type of the details is reliable; the status code is often UNKNOWN.
 */
export function decodeStatus(message: Status | undefined): Refusal {
  const details = message?.getDetails();
  const type = details?.getTypeName() ?? "";
  const kind = kindsByType.get(type);
  const text = message?.getMessage() ?? "";
  const grpcCode = kind === "timeout" ? grpcStatus.DEADLINE_EXCEEDED : statusOf(message?.getCode());
  const fields = kind === undefined ? {} : fieldsOf(kind, details?.getValue_asU8() ?? new Uint8Array());
  return new Refusal(grpcCode, text === "" ? type : text, kind, fields);
}

function fieldsOf(kind: RefusalKind, bytes: Uint8Array): Refusal["fields"] {
  if (kind === "wrong-expected-version") {
    const wrong = shared.WrongExpectedVersion.deserializeBinary(bytes);
    return wrong.hasCurrentStreamRevision() ? { "actual-version": wrong.getCurrentStreamRevision() } : {};
  }
  if (kind === "maximum-append-size-exceeded") {
    const limit = shared.MaximumAppendSizeExceeded.deserializeBinary(bytes).getMaxappendsize();
    return { "maximum-append-size": String(limit) };
  }
  return {};
}

/** A number that is no gRPC code counts as no code. */
function statusOf(number = 0): grpcStatus {
  return grpcCodes.get(number) ?? grpcStatus.OK;
}
